/** The configuration of a dataset collection from games. */
import { given } from '@emac/algorithms';
import {
  actingModelSchema,
  checked,
  expertSchema,
  gamesText,
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
    .describe('folder to create, with train.json and images/; the same folder resumes a stopped collection')
    .meta(given('out', { isRequired: true })),
  phase: z
    .enum(['bc', 'dpo'])
    .default('bc')
    .describe('bc: the expert’s command at every step; dpo: also the policy’s command, where they differ')
    .meta(given('phase')),
  seed: whole(0, 999_999_999_999_999).default(0).describe('seed of every random draw').meta(given('seed')),
  games: z
    .string()
    .min(1)
    .default('builtin:train')
    .describe(`games to play: ${gamesText}`)
    .meta(given('games')),
  numGames: whole(1, 1_000_000)
    .nullable()
    .default(null)
    .describe('number of games to play, once each, alternating task types')
    .meta(given('num-games', { otherwise: 'all' })),
  world: worldSchema.prefault({}),
  maxSteps: whole(1, 10_000).default(50).describe('step limit of a game').meta(given('max-steps')),
  stopRepeating: z
    .boolean()
    .default(false)
    .describe('end an episode that repeats itself')
    .meta(given('stop-repeating')),
  actWith: z
    .enum(['expert', 'student', 'mixture'])
    .default('expert')
    .describe('acting policy; mixture: the expert with --expert-probability, else the student')
    .meta(given('act-with')),
  expertProbability: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('--act-with mixture: probability of the expert')
    .meta(given('expert-probability')),
  randomActions: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('share of steps with a random accepted command; labels stay the expert’s')
    .meta(given('random-actions', { otherwise: '0; with --env 0.1' })),
  ckpt: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('student policy: a run folder, RUN@best, a checkpoint folder, a model or a published .pth')
    .meta(given('ckpt', { otherwise: 'the untrained --model' })),
  model: actingModelSchema.prefault({}),
  speech: speechSchema.prefault({}),
  expert: expertSchema.prefault({}),
  parallelEpisodes: parallelSchema
    .describe(
      'games played in parallel; affects speed only. With --env --expert openai: parallel players, each plays its share',
    )
    .meta(given('parallel-episodes', { otherwise: 'up to 8, or 1 with streamed layers' })),
});

export type CollectConfig = z.infer<typeof collectSchema>;

/** A whole configuration. Errors: `config`. */
export function collectConfig(asked: z.input<typeof collectSchema>): CollectConfig {
  return checked(collectSchema, asked, 'configuration');
}
