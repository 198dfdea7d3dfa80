/** The configuration of a dataset collection from games. */
import {
  checked,
  expertSchema,
  gamesText,
  modelSchema,
  parallelSchema,
  speechSchema,
  worldSchema,
} from '@emac/settings';
import { z } from 'zod';

const whole = (least: number, most: number) => z.number().int().min(least).max(most);

export const collectSchema = z.strictObject({
  out: z
    .string()
    .min(1)
    .describe(
      'folder to make, with train.json and images/; give it again to go on with a collection that was stopped',
    ),
  phase: z
    .enum(['bc', 'dpo'])
    .default('bc')
    .describe(
      'bc: the expert’s command at every state; dpo: also the policy’s own, where that is another one',
    ),
  seed: whole(0, 999_999_999_999_999).default(0).describe('seed of every random draw'),
  games: z.string().min(1).default('builtin:train').describe(`games to play: ${gamesText}`),
  numGames: whole(1, 1_000_000)
    .nullable()
    .default(null)
    .describe('how many games to play, once each, taking the task types in turn'),
  world: worldSchema.prefault({}),
  maxSteps: whole(1, 10_000).default(50).describe('commands after which a game is given up'),
  stopRepeating: z.boolean().default(false).describe('an episode that goes in circles ends'),
  actWith: z
    .enum(['expert', 'student', 'mixture'])
    .default('expert')
    .describe('whose command is played; mixture: the expert’s with --expert-probability'),
  expertProbability: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('--act-with mixture: probability of the expert'),
  ckpt: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('the student: a run folder, RUN@best, a checkpoint folder, a model or a published .pth'),
  model: modelSchema.prefault({}),
  speech: speechSchema.prefault({}),
  expert: expertSchema.prefault({}),
  parallelEpisodes: parallelSchema.describe('games under way at once; changes the speed alone'),
});

export type CollectConfig = z.infer<typeof collectSchema>;

/** A whole configuration. Errors: `config`. */
export function collectConfig(given: z.input<typeof collectSchema>): CollectConfig {
  return checked(collectSchema, given, 'configuration');
}
