/** How many logical parts the gradient of an update has: a setting of every method that learns by gradients. */
import { given } from '@emac/algorithms';
import { z } from 'zod';

export const gradientShardsSchema = z
  .number()
  .int()
  .min(1)
  .max(1024)
  .default(1)
  .describe(
    'contiguous parts of the rows of a gradient, computed one by one and added in their order; the number decides last bits, and who computes a part does not',
  )
  .meta(given('gradient-shards'));
