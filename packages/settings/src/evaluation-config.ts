/** The configuration of an evaluation: a policy, and games or a dataset. */
import { z } from 'zod';
import { worldSchema } from './world-config.ts';
import { gamesText, modelSchema, parallelSchema, speechSchema } from './model-config.ts';
import { checked } from './train-config.ts';

export const evaluationSchema = z.strictObject({
  ckpt: z
    .string()
    .min(1)
    .describe(
      'the policy: a run folder, RUN@best, a checkpoint folder, emma-tiny, a model or a published .pth',
    ),
  games: z.string().min(1).default('builtin:valid_unseen').describe(`games to play: ${gamesText}`),
  numGames: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .default(null)
    .describe('how many held-out games or episodes to play; games take the task types in turn'),
  world: worldSchema.prefault({}),
  maxSteps: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .default(null)
    .describe('commands after which a game is given up'),
  admissibleOnly: z
    .boolean()
    .nullable()
    .default(null)
    .describe('the policy chooses only among commands that the game accepts at that step'),
  data: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'answer the prompts of a dataset in place of games: a JSON list of {image, text_input, text_output}',
    ),
  images: z.string().min(1).nullable().default(null).describe('--data: folder of its pictures, PNG or JPEG'),
  /** null: `ckpt` if that is a model, else its run's, else emma-tiny */
  model: modelSchema.extend({ path: z.string().min(1).nullable().default(null) }).prefault({}),
  speech: speechSchema.prefault({}),
  parallelEpisodes: parallelSchema.describe('games under way at once; changes the speed alone'),
  out: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'file for the result as JSON, or a folder for its eval.json and, of games, every step in words and pictures and logging_results',
    ),
});

export type EvaluationConfig = z.infer<typeof evaluationSchema>;

/** A whole configuration. Errors: `config`. */
export function evaluationConfig(given: z.input<typeof evaluationSchema>): EvaluationConfig {
  return checked(evaluationSchema, given, 'configuration');
}
