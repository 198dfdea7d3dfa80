/** The configuration of an evaluation: a policy, and games or a dataset. */
import { given, text, textOrNull, whole } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { z } from 'zod';
import { temperatureOrZero } from './groups/temperature.ts';
import { worldSchema } from './groups/world.ts';
import { actingModelSchema, gamesText, parallelSchema, speechSchema } from './groups/model.ts';
import { checked } from './merged.ts';
import { nobody } from './conditions.ts';
import { ofProgram, requireEffect } from './require-effect.ts';

export const evaluationSchema = z.strictObject({
  ckpt: text
    .describe('policy: a run folder, RUN@best, a checkpoint folder, emma-tiny, a model or a published .pth')
    .meta(given('ckpt', { isRequired: true })),
  games: text
    .default('builtin:valid_unseen')
    .describe(`games to play: ${gamesText}; an agent or mcp:…: its tasks (JSONL)`)
    .meta(given('games', { aliases: ['tasks'], when: ['words', 'played', 'here'] })),
  numGames: whole(1, 100_000)
    .nullable()
    .default(null)
    .describe('number of held-out games or episodes; games alternate task types')
    .meta(
      given('num-games', {
        when: 'played',
        aliases: ['num-episodes', 'eval-episodes'],
        otherwise:
          '20 where actions are words, 200 elsewhere, or all there are; all games of a folder or a client',
      }),
    ),
  attempts: whole(1, 1000)
    .default(1)
    .describe(
      'attempts at each game; more than 1 give avg@k and pass@k; of a trained policy they need --temperature',
    )
    .meta(given('attempts', { when: 'played' })),
  temperature: temperatureOrZero
    .default(0)
    .describe('sampling temperature of the answers; 0: in games a beam search, in episodes greedy')
    .meta(given('temperature', { when: 'played' })),
  seed: whole(0, 999_999_999_999_999)
    .default(0)
    .describe('seed of sampled answers and of chance in the environment; the tasks stay the same')
    .meta(given('seed')),
  world: worldSchema.prefault({}).meta({ when: 'played' }),
  maxSteps: whole(1, 10_000)
    .nullable()
    .default(null)
    .describe('step limit of a game or episode')
    .meta(
      given('max-steps', { when: 'played', otherwise: 'as in training, else 50, or the environment’s own' }),
    ),
  admissibleOnly: z
    .boolean()
    .nullable()
    .default(null)
    .describe('restrict the policy to commands the game accepts (admissible)')
    .meta(given('admissible-only', { when: ['spoken', 'played'] })),
  data: textOrNull
    .describe(
      'evaluate on a dataset instead of games: a folder, a file or a pattern, in one of the forms of docs/reference/data-forms.md',
    )
    .meta(given('data', { when: 'spoken' })),
  images: textOrNull
    .describe('--data: folder of pictures, PNG or JPEG')
    .meta(given('images', { when: 'data', otherwise: 'the folder of the JSON file' })),
  /** null: `ckpt` if that is a model, else its run's, else emma-tiny */
  model: actingModelSchema
    .extend({
      path: textOrNull
        .describe(
          'model: a shipped one, a folder or a JSON file naming its parts; with --ckpt untouched also mlp or cnn',
        )
        .meta(
          given('model', {
            when: 'always',
            aliases: ['policy'],
            otherwise: '--ckpt if it is a model, else its run’s, else the usual one in --env',
          }),
        ),
    })
    .prefault({})
    .meta({ when: 'spoken' }),
  speech: speechSchema
    .extend({ observe: speechSchema.shape.observe.meta({ when: 'always' }) })
    .prefault({})
    .meta({ when: 'spoken' }),
  parallelEpisodes: parallelSchema
    .describe('games played in parallel; affects speed only')
    .meta(given('parallel-episodes', { when: 'spoken', otherwise: 'up to 8, or 1 with streamed layers' })),
  traces: z
    .boolean()
    .default(false)
    .describe(
      'write traces.jsonl into the folder: every attempt as a conversation, with its reward, token ids and log-probabilities',
    )
    .meta(given('traces', { when: 'played' })),
  out: textOrNull
    .describe(
      'JSON file for the result, or a folder for eval.json and, for games, transcripts, pictures and logging_results',
    )
    .meta(given('out', { none: 'none', otherwise: 'a new folder in runs' })),
});

const { ckpt, admissibleOnly, model } = evaluationSchema.shape;

/** The policy of `emac serve`. */
export const servingSchema = z.strictObject({
  ckpt,
  admissibleOnly: admissibleOnly.describe(
    'restrict the agent to admissible commands; requests must then list them',
  ),
  model: model
    .unwrap()
    .extend({
      path: model
        .unwrap()
        .shape.path.describe('model: a shipped one, a folder or a JSON file naming its parts')
        .meta({ otherwise: '--ckpt if it is a model, else its run’s, else emma-tiny' }),
    })
    .prefault({}),
  speech: speechSchema.prefault({}),
});

export type EvaluationConfig = z.infer<typeof evaluationSchema>;

/** A whole configuration. Errors: `config`. */
export function evaluationConfig(asked: z.input<typeof evaluationSchema>): EvaluationConfig {
  return checked(evaluationSchema, asked, 'configuration');
}

/** Errors: `usage` for several attempts of a policy that draws nothing; `prefix`: of the flags. */
export function requireDraws(
  { attempts = 1, temperature }: { readonly attempts?: number | undefined; readonly temperature: number },
  prefix = '',
): void {
  if (attempts > 1 && temperature === 0)
    throw new EmacError(
      'usage',
      `--${prefix}attempts ${attempts}: a search answers every attempt alike; give --${prefix}temperature above 0, or leave it out`,
    );
}

/** Errors: `usage` for a setting without effect on a policy that was trained in the environment; those of `requireDraws`. */
export function requireFittingEvaluation(env: string, config: EvaluationConfig): void {
  requireDraws(config);
  requireEffect({
    schema: evaluationSchema,
    layers: ofProgram(config),
    defaults: evaluationConfig({ ckpt: config.ckpt }),
    subjects: [{ ...nobody, env }],
  });
}
