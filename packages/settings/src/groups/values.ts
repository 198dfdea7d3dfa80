/** The settings of a model's critic: schemas with ranges, words and flags. */
import { given, positive, whole } from '@emac/algorithms';
import { z } from 'zod';

export const valuesSchema = z.strictObject({
  hiddenWidths: z
    .array(whole(1, 65_536))
    .max(8)
    .default([1024, 512])
    .describe('a model: hidden widths of the critic’s head'),
  learns: z
    .enum(['head', 'policy', 'adapter'])
    .default('head')
    .describe(
      "a model: parameters the critic's loss trains: its head, also the policy, or its head and its own adapter",
    )
    .meta(given('value-learns')),
  learningRateScale: positive
    .default(1)
    .describe("a model: learning rate of the critic relative to the policy's")
    .meta(given('value-lr-scale')),
});
