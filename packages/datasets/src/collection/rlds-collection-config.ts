/** The configuration of an imitation dataset from datasets in RLDS form. */
import { given } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { checked } from '@emac/settings';
import { z } from 'zod';

const whole = (least: number, most: number) => z.number().int().min(least).max(most);
const path = z.string().min(1);

export const rldsCollectionSchema = z.strictObject({
  rlds: path
    .describe(
      'convert robot episodes from this RLDS folder (TensorFlow Datasets) instead of playing; with --mixture a folder of several',
    )
    .meta(given('rlds')),
  out: path.describe('folder to create').meta(given('out')),
  mixture: path
    .nullable()
    .default(null)
    .describe('--rlds: sample steps from several datasets by the weights of this named mixture')
    .meta(given('mixture')),
  mixtures: path
    .nullable()
    .default(null)
    .describe('--mixture: JSON file of mixtures, {"name": [["folder of a dataset", weight], …]}')
    .meta(given('mixtures')),
  seed: whole(0, 999_999_999_999_999).default(0).describe('seed of every random draw').meta(given('seed')),
  samples: whole(1, 10_000_000)
    .nullable()
    .default(null)
    .describe('number of steps to write; null for each once (a mixture needs a number)')
    .meta(given('num-samples', { otherwise: 'each step once' })),
  validation: z
    .number()
    .min(0)
    .max(0.9)
    .default(0.1)
    .describe('share of episodes held out in val.json')
    .meta(given('val-share')),
  split: path.default('train').describe('--rlds: split of each dataset to read').meta(given('rlds-split')),
  layout: z
    .strictObject({
      image: path
        .default('observation/image')
        .describe('--rlds: field of a step’s picture; / separates names')
        .meta(given('rlds-image')),
      instruction: path
        .default('language_instruction')
        .describe('--rlds: field of a step’s instruction')
        .meta(given('rlds-instruction')),
      action: path
        .default('action')
        .describe(
          '--rlds: field of a step’s action: seven numbers, gripper last (−1 open, 1 closed); commas join several fields',
        )
        .meta(given('rlds-action')),
    })
    .prefault({}),
});

export type RldsCollectionConfig = z.infer<typeof rldsCollectionSchema>;

/** A complete configuration. Errors: `config`; `usage` for a mixture without its file or a number of steps. */
export function rldsCollectionConfig(asked: z.input<typeof rldsCollectionSchema>): RldsCollectionConfig {
  const config = checked(rldsCollectionSchema, asked, 'configuration');
  const { mixture, mixtures, samples } = config;
  const refuse = (rule: string): never => {
    throw new EmacError('usage', rule);
  };
  if (mixture !== null && mixtures === null)
    refuse(`--mixture ${mixture}: needs the file that defines it; give it with --mixtures`);
  if (mixture === null && mixtures !== null)
    refuse(`--mixtures ${mixtures}: belongs to --mixture, which was not given`);
  if (mixture !== null && samples === null)
    refuse(`--mixture ${mixture}: is endless; give the number of steps with --num-samples`);
  return config;
}
