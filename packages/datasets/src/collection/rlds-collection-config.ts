/** The configuration of an imitation dataset from datasets in RLDS form. */
import { EmacError } from '@emac/core';
import { checked } from '@emac/settings';
import { z } from 'zod';

const whole = (least: number, most: number) => z.number().int().min(least).max(most);
const path = z.string().min(1);

export const rldsCollectionSchema = z.strictObject({
  rlds: path.describe(
    "takes robots' episodes from this dataset in RLDS form, a folder of TensorFlow Datasets, in place of playing; with --mixture a folder of several",
  ),
  out: path.describe('folder to make'),
  mixture: path
    .nullable()
    .default(null)
    .describe('--rlds: draws steps from several datasets by weight, as the mixture of this name says'),
  mixtures: path
    .nullable()
    .default(null)
    .describe('--mixture: JSON file with mixtures, {"name": [["folder of a dataset", weight], …]}'),
  seed: whole(0, 999_999_999_999_999).default(0).describe('seed of every random draw'),
  samples: whole(1, 10_000_000)
    .nullable()
    .default(null)
    .describe('steps to write; null for each once, a mixture needs a number'),
  validation: z.number().min(0).max(0.9).default(0.1).describe('share of episodes that go to val.json'),
  split: path.default('train').describe('--rlds: the split of each dataset that is read'),
  layout: z
    .strictObject({
      image: path
        .default('observation/image')
        .describe('--rlds: where a step has its picture, names with / between'),
      instruction: path
        .default('language_instruction')
        .describe('--rlds: where a step has what is asked for'),
      action: path
        .default('action')
        .describe(
          '--rlds: where a step has its action, seven numbers, the gripper last, −1 open and 1 closed; parts with , between are put one after another',
        ),
    })
    .prefault({}),
});

export type RldsCollectionConfig = z.infer<typeof rldsCollectionSchema>;

/** A complete configuration. Errors: `config`; `usage` for a mixture without its file or a number of steps. */
export function rldsCollectionConfig(given: z.input<typeof rldsCollectionSchema>): RldsCollectionConfig {
  const config = checked(rldsCollectionSchema, given, 'configuration');
  const { mixture, mixtures, samples } = config;
  const refuse = (rule: string): never => {
    throw new EmacError('usage', rule);
  };
  if (mixture !== null && mixtures === null)
    refuse(`--mixture ${mixture}: needs the file that has it; name it with --mixtures`);
  if (mixture === null && mixtures !== null)
    refuse(`--mixtures ${mixtures}: belongs to --mixture, which was not given`);
  if (mixture !== null && samples === null)
    refuse(`--mixture ${mixture}: has no end; say with --num-samples how many steps are drawn`);
  return config;
}
