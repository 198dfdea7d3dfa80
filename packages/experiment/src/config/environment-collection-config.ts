/** The configuration of collecting a dataset from an environment that is stepped by number. */
import { z } from 'zod';
import { environmentId } from '../reinforcement/environment-id.ts';
import { checked } from './train-config.ts';

const whole = (least: number, most: number) => z.number().int().min(least).max(most);
const share = z.number().min(0).max(1);

export const environmentCollectionSchema = z.strictObject({
  env: z
    .string()
    .min(1)
    .describe(
      'plays this environment in place of games, labelled by its scripted player, e.g. gym_cards/EZPoints-v0',
    ),
  out: z.string().min(1).describe('folder to make'),
  seed: whole(0, 999_999_999_999_999).default(0).describe('seed of every random draw'),
  samples: whole(1, 10_000_000)
    .default(1000)
    .describe('--env: steps to write; the last episode is cut off there'),
  maxSteps: whole(1, 999_999_999)
    .nullable()
    .default(null)
    .describe('steps after which an episode is left; null for the limit of the environment'),
  randomActions: share
    .default(0.1)
    .describe('--env: share of steps that take a random action, off the best way'),
  labelNoise: share
    .default(0)
    .describe(
      '--env: share of labels that are on purpose another action than the best one, without a conclusion',
    ),
  validation: share.max(0.9).default(0.1).describe('--env: share of episodes that go to val.json'),
  palette: z
    .enum(['true', 'legacy-wrapped'])
    .default('true')
    .describe('--env MiniGrid-…: colours of the picture'),
  actionOnly: z
    .boolean()
    .default(false)
    .describe('--env gym_cards/…: the prompt asks for the action alone, without thoughts'),
});

export type EnvironmentCollectionConfig = z.infer<typeof environmentCollectionSchema>;

/** A whole configuration. Errors: `config`; `usage` for an unknown environment. */
export function environmentCollectionConfig(
  given: z.input<typeof environmentCollectionSchema>,
): EnvironmentCollectionConfig {
  return checked(environmentCollectionSchema, { ...given, env: environmentId(given.env) }, 'configuration');
}
