/** The settings of a model's critic: schemas with ranges, words and flags. */
import { given, positive, whole } from '@emac/algorithms';
import { z } from 'zod';

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
      "a model: what the critic's loss trains: its head alone, the policy too, or the head and a second adapter of its own",
    )
    .meta(given('value-learns')),
  learningRateScale: positive
    .default(1)
    .describe("a model: learning rate of the critic over the policy's")
    .meta(given('value-lr-scale')),
});
