/** Settings shared by all methods with gradients: AdamW, gradient shards, staleness. */
import { z } from 'zod';
import { coefficient, given, positive } from './setting.ts';

const decay = z.number().min(0).lt(1);

export const adamSettings = {
  betas: z
    .tuple([
      decay.describe('Adam: decay of the running mean').meta(given('adam-beta1')),
      decay.describe('Adam: decay of the running mean square').meta(given('adam-beta2')),
    ])
    .readonly(),
  epsilon: positive.describe('Adam: ε').meta(given('adam-epsilon', { aliases: ['eps'] })),
  weightDecay: coefficient.describe('AdamW: decoupled weight decay').meta(given('weight-decay')),
};

/** Most updates that the acting policy may lag behind. */
export const stalenessAtMost = 16;

export const maxStaleness = z
  .number()
  .int()
  .min(0)
  .max(stalenessAtMost)
  .default(0)
  .describe(
    'updates the acting policy may lag behind (0: synchronous); with --queue workers play ahead instead of waiting',
  )
  .meta(given('max-staleness'));

export const gradientShards = z
  .number()
  .int()
  .min(1)
  .max(1024)
  .default(1)
  .describe(
    'parts of a gradient, added in order (changes results in the last bits); with --queue workers compute them',
  )
  .meta(given('gradient-shards'));
