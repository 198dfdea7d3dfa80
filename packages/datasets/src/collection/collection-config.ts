/** The configuration of a collection: what all have in common, and what games, an environment and data in RLDS form add. */
import { given } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { environmentId, type GivenEnvironment } from '@emac/opening';
import {
  actingModelSchema,
  checked,
  expertSchema,
  gamesText,
  parallelSchema,
  serviceSchema,
  speechSchema,
  worldSchema,
} from '@emac/settings';
import { z } from 'zod';
import { recordForms } from './record-form.ts';

const whole = (least: number, most: number) => z.number().int().min(least).max(most);
const share = z.number().min(0).max(1);
const heldOut = share.max(0.9).default(0.1);
const path = z.string().min(1);
const seed = whole(0, 999_999_999_999_999)
  .default(0)
  .describe('seed of every random draw')
  .meta(given('seed'));
const folder = path.describe('folder to create').meta(given('out'));

const form = z
  .enum(recordForms)
  .default('published')
  .describe(
    'form of the records: text_input and text_output, or conversations as other training tools read them; preference with --phase dpo',
  )
  .meta(given('form'));

export const collectSchema = z.strictObject({
  out: path
    .describe('folder to create, with train.json and images/; the same folder resumes a stopped collection')
    .meta(given('out', { isRequired: true })),
  phase: z
    .enum(['bc', 'dpo'])
    .default('bc')
    .describe('bc: the expert’s command at every step; dpo: also the policy’s command, where they differ')
    .meta(given('phase')),
  form,
  seed,
  games: path
    .default('builtin:train')
    .describe(`games to play: ${gamesText}`)
    .meta(given('games', { when: 'here' })),
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
  expertProbability: share
    .default(0.5)
    .describe('--act-with mixture: probability of the expert')
    .meta(given('expert-probability', { when: 'mixture' })),
  randomActions: share
    .optional()
    .describe('share of steps with a random accepted command; labels stay the expert’s')
    .meta(given('random-actions', { otherwise: '0; with --env 0.1' })),
  ckpt: path
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

export const environmentCollectionSchema = z.strictObject({
  env: path
    .describe(
      'environment to play instead of games, e.g. gym_cards/EZPoints-v0; its scripted player, a language model or you label',
    )
    .meta(given('env')),
  out: folder,
  form,
  seed,
  samples: whole(1, 10_000_000)
    .default(1000)
    .describe(
      '--env: number of steps to write; the last episode is cut there, and unlabelled steps are skipped',
    )
    .meta(given('num-samples')),
  maxSteps: whole(1, 999_999_999)
    .nullable()
    .default(null)
    .describe('step limit of an episode; null for the environment’s own')
    .meta(given('max-steps', { otherwise: 'own' })),
  randomActions: share
    .default(0.1)
    .describe('--env: share of steps with a random action')
    .meta(given('random-actions')),
  labelNoise: share
    .default(0)
    .describe('--env: share of scripted labels that are deliberately wrong, without a conclusion')
    .meta(given('label-noise', { when: 'scripted' })),
  validation: heldOut.describe('--env: share of episodes held out in val.json').meta(given('val-share')),
  actionSteps: whole(1, 1000)
    .nullable()
    .default(null)
    .describe('--env tabletop/…: round action numbers to so many steps a unit; null: unrounded')
    .meta(given('action-steps', { none: 'exact', otherwise: 'exact' })),
  format: z
    .enum(['json', 'rlds'])
    .default('json')
    .describe(
      '--env tabletop/…: output format: a folder for emac train --method sft, or an RLDS dataset of TensorFlow Datasets',
    )
    .meta(given('format')),
  palette: z
    .enum(['true', 'legacy-wrapped'])
    .default('true')
    .describe('--env MiniGrid-…: colours of the picture')
    .meta(given('palette')),
  actionOnly: z
    .boolean()
    .default(false)
    .describe('--env gym_cards/…: prompt for the action only, without thoughts')
    .meta(given('action-only-prompt')),
  expert: z
    .strictObject({
      kind: z
        .enum(['scripted', 'module', 'openai', 'human'])
        .default('scripted')
        .describe(
          '--env: labels from the scripted player, a file of your own, a language model that sees the picture, or human: you, on the terminal or with --page',
        )
        .meta(given('expert')),
      module: path
        .nullable()
        .default(null)
        .describe('file of a custom expert; only --expert on the command line runs it')
        .meta({ path: 'existing' }),
      languageModel: serviceSchema.prefault({}).meta({ when: 'openai' }),
    })
    .prefault({}),
  qualityScores: z
    .boolean()
    .default(false)
    .describe('--env --expert openai: also ask for a rating of every action, 0 to 10; stored as utilities')
    .meta(given('quality-scores', { when: 'openai' })),
  parallelEpisodes: whole(1, 1024)
    .default(8)
    .describe('--env --expert openai: parallel players; each plays its share of the steps')
    .meta(given('parallel-episodes', { when: 'openai' })),
});

export type EnvironmentCollectionConfig = z.infer<typeof environmentCollectionSchema>;

/** A complete configuration; a module is named by its file. Errors: `config`; `usage` for an unknown environment, and for a missing module. */
export function environmentCollectionConfig(
  asked: z.input<typeof environmentCollectionSchema>,
  environment: GivenEnvironment | null = null,
): EnvironmentCollectionConfig {
  const env = environmentId(asked.env, environment);
  return checked(environmentCollectionSchema, { ...asked, env }, 'configuration');
}

export const rldsCollectionSchema = z.strictObject({
  rlds: path
    .describe(
      'convert robot episodes from this RLDS folder (TensorFlow Datasets) instead of playing; with --mixture a folder of several',
    )
    .meta(given('rlds')),
  out: folder,
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
  seed: seed.meta(given('seed', { when: 'drawn' })),
  samples: whole(1, 10_000_000)
    .nullable()
    .default(null)
    .describe('number of steps to write; null for each once (a mixture needs a number)')
    .meta(given('num-samples', { otherwise: 'each step once' })),
  validation: heldOut.describe('share of episodes held out in val.json').meta(given('val-share')),
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
