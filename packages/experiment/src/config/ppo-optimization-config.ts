/** How PPO's policy and values are optimized, and what the values of a model are: schemas with ranges and words for each setting. */
import { z } from 'zod';
import { gradientShardsSchema } from './gradient-shards.ts';
import { maxStalenessSchema } from './max-staleness.ts';

const whole = (least: number, most: number) => z.number().int().min(least).max(most);
const positive = z.number().positive().max(1_000_000);
const share = z.number().min(0).max(1);

export const optimizationSchema = z.strictObject({
  epochs: whole(1, 10_000).describe('passes over the steps of an update'),
  minibatchSize: whole(1, 999_999_999).describe('steps of one gradient; the last of a pass has what is left'),
  learningRate: positive.describe('learning rate of the first update'),
  schedule: z.enum(['constant', 'linear', 'cosine']).describe('how the learning rate falls'),
  finalShare: share.describe('share of the learning rate that is left at the end of its fall'),
  decayUpdates: whole(1, 999_999_999_999)
    .nullable()
    .describe('updates from the first in which the learning rate falls'),
  valueSchedule: z
    .enum(['constant', 'linear', 'cosine'])
    .nullable()
    .default(null)
    .describe(
      'how the learning rate of the values falls, over all updates, where that of the policy has a schedule of its own, which begins after --value-init-steps; joint: both fall together over all updates',
    ),
  clipNorm: positive
    .nullable()
    .describe(
      'limit of the gradient norm over all parameters, or over those of the policy where the values have their own',
    ),
  valueClipNorm: positive
    .nullable()
    .default(null)
    .describe('limit of the gradient norm over the parameters of the values; joint: none of their own'),
  valueInitSteps: whole(0, 999_999_999).describe(
    'updates at the beginning in which the values learn and the policy does not',
  ),
  targetKl: positive
    .nullable()
    .describe('an update ends before a minibatch whose approximate divergence is above 1.5 times this'),
  betas: z.tuple([
    z.number().min(0).lt(1).describe('Adam: decay of the running mean'),
    z.number().min(0).lt(1).describe('Adam: decay of the running mean square'),
  ]),
  epsilon: positive.describe('Adam: ε'),
  weightDecay: z.number().min(0).max(1_000_000).describe('AdamW: weight decay'),
  gradientShards: gradientShardsSchema,
  maxStaleness: maxStalenessSchema,
});

export const valuesSchema = z.strictObject({
  hiddenWidths: z
    .array(whole(1, 65_536))
    .max(8)
    .default([1024, 512])
    .describe('a model: widths between its state and a value'),
  learns: z
    .enum(['head', 'policy', 'adapter'])
    .default('head')
    .describe(
      "a model: what learns of the values, their head alone (head), the policy too (policy), or the head and a second adapter that reads for it in the policy's place (adapter)",
    ),
  learningRateScale: positive
    .default(1)
    .describe('a model: learning rate of the values over that of the policy'),
});
