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
    .describe('folder to create, with train.json and images/; the same folder resumes a stopped collection'),
  phase: z
    .enum(['bc', 'dpo'])
    .default('bc')
    .describe('bc: the expert’s command at every step; dpo: also the policy’s, where they differ'),
  seed: whole(0, 999_999_999_999_999).default(0).describe('seed of every random draw'),
  games: z.string().min(1).default('builtin:train').describe(`games to play: ${gamesText}`),
  numGames: whole(1, 1_000_000)
    .nullable()
    .default(null)
    .describe('number of games to play, once each, alternating task types'),
  world: worldSchema.prefault({}),
  maxSteps: whole(1, 10_000).default(50).describe('step limit of a game'),
  stopRepeating: z.boolean().default(false).describe('end an episode that repeats itself'),
  actWith: z
    .enum(['expert', 'student', 'mixture'])
    .default('expert')
    .describe('who acts; mixture: the expert with --expert-probability, else the policy'),
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
    .describe('student policy: a run folder, RUN@best, a checkpoint folder, a model or a published .pth'),
  model: modelSchema.prefault({}),
  speech: speechSchema.prefault({}),
  expert: expertSchema.prefault({}),
  parallelEpisodes: parallelSchema.describe('games played in parallel; affects speed only'),
});

export type CollectConfig = z.infer<typeof collectSchema>;

/** A whole configuration. Errors: `config`. */
export function collectConfig(given: z.input<typeof collectSchema>): CollectConfig {
  return checked(collectSchema, given, 'configuration');
}
