/** The configuration of an evaluation: a policy, and games or a dataset. */
import { z } from 'zod';
import { worldSchema } from './world-config.ts';
import { gamesText, modelSchema, parallelSchema, speechSchema } from './model-config.ts';
import { checked } from './train-config.ts';

export const evaluationSchema = z.strictObject({
  ckpt: z
    .string()
    .min(1)
    .describe('policy: a run folder, RUN@best, a checkpoint folder, emma-tiny, a model or a published .pth'),
  games: z.string().min(1).default('builtin:valid_unseen').describe(`games to play: ${gamesText}`),
  numGames: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .default(null)
    .describe('number of held-out games or episodes; games alternate task types'),
  world: worldSchema.prefault({}),
  maxSteps: z.number().int().min(1).max(10_000).nullable().default(null).describe('step limit of a game'),
  admissibleOnly: z
    .boolean()
    .nullable()
    .default(null)
    .describe('restrict the policy to commands the game accepts (admissible)'),
  data: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('evaluate on a dataset instead of games: a JSON list of {image, text_input, text_output}'),
  images: z.string().min(1).nullable().default(null).describe('--data: folder of pictures, PNG or JPEG'),
  /** null: `ckpt` if that is a model, else its run's, else emma-tiny */
  model: modelSchema.extend({ path: z.string().min(1).nullable().default(null) }).prefault({}),
  speech: speechSchema.prefault({}),
  parallelEpisodes: parallelSchema.describe('games played in parallel; affects speed only'),
  out: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'JSON file for the result, or a folder for eval.json and, for games, transcripts, pictures and logging_results',
    ),
});

export type EvaluationConfig = z.infer<typeof evaluationSchema>;

/** A whole configuration. Errors: `config`. */
export function evaluationConfig(given: z.input<typeof evaluationSchema>): EvaluationConfig {
  return checked(evaluationSchema, given, 'configuration');
}
