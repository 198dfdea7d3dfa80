/** Batches, learning rate, AdamW, clipping. */
import { given, gradientShards } from '@emac/algorithms';
import { dynamicLossScaling } from '@emac/optim';
import { z } from 'zod';
import { whole } from './numbers.ts';

export const optimizationSchema = z.strictObject({
  updates: whole(1, 999_999_999)
    .nullable()
    .default(null)
    .describe(
      'length of the run: it ends after so many updates, also within a round or an epoch. Without --rounds it has the rounds for them, if every episode is learned from',
    )
    .meta(given('updates', { aliases: ['max-updates'], otherwise: 'all of --rounds, or --epochs' })),
  updatesPerEpisode: whole(0, 10_000)
    .describe('gradient steps after every episode')
    .meta(given('updates-per-episode', { when: 'played' })),
  batchSize: whole(1, 1024).describe('samples of one micro-step').meta(given('batch-size')),
  accumulate: whole(1, 1024).describe('micro-steps of one update').meta(given('accumulate')),
  replacement: z
    .boolean()
    .describe('sample micro-steps with replacement')
    .meta(
      given('', {
        when: 'played',
        off: { flag: 'without-replacement', help: 'sample micro-steps without replacement' },
      }),
    ),
  schedule: z
    .enum(['round-cosine', 'linear', 'constant'])
    .describe(
      'learning-rate schedule after warm-up: cosine within each round, linear to the minimum, or constant',
    )
    .meta(given('schedule')),
  learningRate: z
    .number()
    .positive()
    .describe('highest learning rate')
    .meta(given('lr', { aliases: ['learning-rate'] })),
  warmup: whole(0, 1_000_000_000).describe('micro-steps of linear warm-up').meta(given('warmup')),
  warmupStart: z
    .number()
    .min(0)
    .describe('learning rate at the start of the warm-up')
    .meta(given('warmup-lr')),
  minimum: z.number().min(0).describe('learning rate to which the schedule falls').meta(given('min-lr')),
  betas: z.tuple([
    z.number().min(0).describe('Adam: decay of the running mean, below 1').meta(given('adam-beta1')),
    z.number().min(0).describe('Adam: decay of the running mean square, below 1').meta(given('adam-beta2')),
  ]),
  epsilon: z
    .number()
    .positive()
    .describe('Adam: ε, added to the root of the mean square')
    .meta(given('adam-epsilon', { aliases: ['eps'] })),
  weightDecay: z
    .number()
    .min(0)
    .describe('AdamW: decoupled weight decay; none on biases')
    .meta(given('weight-decay')),
  clipNorm: z
    .number()
    .positive()
    .nullable()
    .describe('largest gradient norm over all parameters')
    .meta(given('max-grad-norm', { aliases: ['clip-norm'], none: 'none' })),
  lossScaling: z
    .strictObject({
      start: z.number().positive(),
      growth: z.number().positive(),
      backoff: z.number().positive(),
      interval: whole(1, 1_000_000_000),
    })
    .nullable()
    .describe(
      'scale the loss for half-precision gradients; an overflow skips the update and lowers the scale',
    )
    .meta(given('loss-scaling', { words: { none: null, dynamic: dynamicLossScaling } })),
  gradientShards,
});
