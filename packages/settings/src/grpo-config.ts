/**
 * The configuration of `emac train --method grpo`, in the groups that read it: one schema with ranges and words for each setting.
 * Settings of presets have no defaults, except the pixel limit, which configurations of earlier runs lack.
 */
import {
  answerRatioDefaults,
  checkGrpoSettings,
  coefficient,
  given,
  grpoLosses,
  grpoOptimization,
  grpoPlay,
  grpoPreset,
  grpoPresetNames,
  positive,
  text,
  whole,
  type GrpoPresetName,
  type GrpoSettings,
} from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { accuracyModes } from '@emac/lewis';
import { underNamesToday } from '@emac/runs';
import { z } from 'zod';
import { defaultAdapter, type FreshAdapter } from './fresh-adapter.ts';
import { computingSchema, dialogueSetting, parallelSchema, speechSchema } from './groups/model.ts';
import * as run from './groups/run.ts';
import { temperatureOrZero } from './groups/temperature.ts';
import { checked, merged } from './merged.ts';
import { asksAdapter, learningAdapter } from './groups/adapter.ts';
import { foundForGroups } from './found-by-trial.ts';
import { lewisGame } from './usual-environment.ts';
import { usualObserveText } from './usual-observe.ts';

/** The default players: each role as the model has it. */
export const untrained = 'model';

const gameSchema = z.strictObject({
  pictures: text
    .default('drawn')
    .describe(
      'pictures to describe: drawn (built-in), a folder with category/concept/picture.png, or a published catalogue.json',
    )
    .meta(given('pictures', { path: 'existing' })),
  candidates: whole(2, 26)
    .default(3)
    .describe('pictures the listener chooses from')
    .meta(given('candidates')),
  splitSeed: whole(0, 999_999_999)
    .default(23)
    .describe('seed of the split into training and held-out concepts')
    .meta(given('split-seed')),
  trainingShare: z
    .number()
    .gt(0)
    .lt(1)
    .default(0.65)
    .describe('share of each category’s concepts used for training')
    .meta(given('training-share')),
});

const { updates, ...groupPlay } = grpoPlay.shape;

const playSchema = z.strictObject({
  updates: updates
    .nullable()
    .default(null)
    .describe('policy updates of the run')
    .meta(given('updates', { none: 'epochs' })),
  epochs: positive
    .nullable()
    .describe('passes over all training tasks, unless --updates is given')
    .meta(given('epochs', { aliases: ['num-train-epochs'], none: 'none' })),
  ...groupPlay,
  speakerTemperature: temperatureOrZero
    .describe('listener: sampling temperature of the speaker in training; 0: greedy, as published')
    .meta(given('speaker-temperature', { when: 'lewis' })),
  maxSteps: whole(1, 10_000)
    .nullable()
    .default(null)
    .describe('step limit of an attempt')
    .meta(given('max-steps', { when: 'tasks', none: 'own', otherwise: 'own' })),
  admissibleOnly: z
    .boolean()
    .optional()
    .describe(
      'other environments: the policy chooses among the commands that are accepted (admissible) and is trained on the probabilities of that choice',
    )
    .meta(given('admissible-only', { when: ['tasks', 'model'] })),
  parallelEpisodes: parallelSchema
    .describe('attempts played at once (changes results in the last bits); 1 with streamed layers')
    .meta(given('parallel-episodes', { otherwise: '8' })),
});

const rewardsSchema = z.strictObject({
  accuracy: z
    .enum(accuracyModes)
    .default('binary')
    .describe(
      'speaker: 1 if the listener chooses right. soft_gated: its confidence if right; soft_always: its confidence',
    )
    .meta(given('listener-reward-mode')),
  format: z
    .enum(['all', 'each'])
    .default('all')
    .describe('speaker: 1 if all three parts are in their tags, or a third for each')
    .meta(given('format-reward')),
  length: z
    .enum(['sentence', 'words', 'none'])
    .default('sentence')
    .describe('speaker: 0.1 for one sentence. words: costs for more sentences and for too few or many words')
    .meta(given('length-reward')),
  overlap: z
    .boolean()
    .default(false)
    .describe('speaker: charge for repeating state and location in the description')
    .meta(given('overlap-reward')),
  verdict: z
    .enum(['consistency', 'weighted'])
    .default('consistency')
    .describe(
      'listener: 1 for the right verdict, plus 1 for the form. weighted: also −1 for a wrong yes, −0.3 for a wrong no',
    )
    .meta(given('verdict-reward')),
  attempt: z
    .string()
    .regex(
      /^(return|success|.*\.[cCmM]?[jJ][sS])$/,
      'must be return or success, or a file such as ./reward.mjs',
    )
    .default('return')
    .describe(
      'other environments: reward of an attempt: the environment’s return, 1 for success, or that of your own file',
    )
    .meta(given('reward', { when: ['tasks', 'always'] })),
  invalid: coefficient
    .default(0)
    .describe('other environments: cost of an answer that names no admissible action')
    .meta(given('invalid-cost', { when: ['tasks', 'model', 'always'] })),
});

export const sendForms = ['data', 'paths'] as const;

export const lewisRoles = ['speaker', 'listener', 'both'] as const;
/** The role a run trains; `both` is a chain of runs. */
export type LewisRole = 'speaker' | 'listener';

export const grpoSchema = z.strictObject({
  ...run.beginning,
  env: run.beginning.env.default(lewisGame).meta(given('env', { otherwise: 'lewis' })),
  policy: run.beginning.policy.default('lewis-tiny'),
  role: z
    .enum(lewisRoles)
    .nullable()
    .default(null)
    .describe('lewis: role to train. both: in turns, each turn its own run, listener first')
    .meta(given('role', { when: 'lewis', otherwise: 'required in lewis unless --resume' })),
  turns: whole(2, 1000)
    .default(4)
    .describe('--role both: number of turns')
    .meta(given('turns', { when: ['lewis', 'both'] })),
  turn: whole(0, 999)
    .nullable()
    .default(null)
    .describe('turn of a run of --role both, from 0; null for a run of one role'),
  listener: text
    .default(untrained)
    .describe(
      'listener of a speaker: model (untrained), a run, or the address of a service; default LISTENER_URL if set',
    )
    .meta(given('listener', { when: 'lewis', path: 'existing' })),
  speaker: text
    .default(untrained)
    .describe(
      'speaker of a listener: model (untrained), true (the correct description), a run, or the address of a service',
    )
    .meta(given('speaker', { when: 'lewis', path: 'existing' })),
  preset: z
    .enum(grpoPresetNames)
    .default('tiny')
    .describe('named settings; other flags win over them')
    .meta(given('preset')),
  game: gameSchema.prefault({}).meta({ when: 'lewis' }),
  play: playSchema,
  rewards: rewardsSchema.prefault({}).meta({ when: 'lewis' }),
  losses: grpoLosses,
  optimization: grpoOptimization,
  trained: learningAdapter.prefault({}),
  speech: z
    .strictObject({
      minLength: whole(1, 4096)
        .default(1)
        .describe('shortest answer in tokens, before the end token')
        .meta(given('min-length')),
      maxPromptTokens: whole(16, 65_536)
        .default(1024)
        .describe('longest prompt in tokens, picture included; longer prompts are an error, never cut')
        .meta(given('max-prompt-tokens', { aliases: ['max-prompt-length', 'max-text-tokens'] })),
      observe: speechSchema.shape.observe.meta(
        given('observe', { when: 'tasks', otherwise: `from --init, else ${usualObserveText}` }),
      ),
      dialogue: dialogueSetting.meta({ when: 'tasks' }),
    })
    .prefault({})
    .meta({ when: 'model' }),
  model: computingSchema
    .extend({
      maxPixels: whole(1, 999_999_999)
        .nullable()
        .default(null)
        .describe('Qwen2-VL, Qwen2.5-VL, Qwen3-VL: most pixels of a picture (max_pixels)')
        .meta(
          given('max-pixels', {
            when: 'model',
            none: 'own',
            otherwise: 'from --init, else own, or 401408 in published presets',
          }),
        ),
    })
    .prefault({}),
  send: z
    .enum(sendForms)
    .default('data')
    .describe('how to send pictures to a service: data (scaled for the model), or paths in a shared folder')
    .meta(given('send', { when: 'lewis' })),
  evaluation: run.evaluation(150, '150 in lewis, else 20').prefault({}),
  ...run.endingInUpdates,
  onlyLast: z.boolean().default(false).describe('keep only the last checkpoint of a finished run'),
});

export type GrpoConfig = z.infer<typeof grpoSchema>;

/** One run: of one role in the Lewis game, without a role elsewhere. */
export interface GrpoRunConfig extends GrpoConfig {
  readonly role: LewisRole | null;
}

/** Errors: `usage` for both roles, which need several runs, and for no role in the Lewis game. */
export function ofOneRole(config: GrpoConfig): GrpoRunConfig {
  const { env, role } = config;
  if (env === lewisGame && role === null)
    throw new EmacError(
      'usage',
      '--role: is required: speaker, listener or both; or give --resume with the folder of a run',
    );
  if (role !== 'both') return { ...config, role };
  throw new EmacError('usage', '--role both: starts a chain of runs, but this run is one of its turns');
}

/** A partial configuration, validated only when completed. */
export type GivenGrpoConfig = {
  readonly [K in keyof GrpoConfig]?: GrpoConfig[K] extends object
    ? { readonly [N in keyof GrpoConfig[K]]?: GrpoConfig[K][N] }
    : GrpoConfig[K];
};

/**
 * A whole configuration from given settings and their preset. Errors: `config` naming every invalid setting, `usage`
 * for an unknown environment.
 */
export function grpoConfig(asked: GivenGrpoConfig): GrpoConfig {
  const given = underNamesToday(asked);
  const preset = grpoPresetConfig(grpoPresetNames.find((each) => each === given.preset) ?? 'tiny');
  const byRatio = given.losses?.ratio === 'answer' ? { losses: answerRatioDefaults } : {};
  const base = merged(merged(preset, foundForGroups(given)), byRatio);
  const { epochs, updates } = given.play ?? {};
  // given epochs override the preset's updates
  const own = epochs != null && updates === undefined ? merged(base, { play: { updates: null } }) : base;
  return checked(grpoSchema, merged(own, given), 'configuration');
}

/** The defaults beside given settings: those found for an environment give way to another model, a start and an adapter. Errors: those of `grpoConfig`. */
export function grpoDefaults({ env, preset, policy, init, trained, losses }: GivenGrpoConfig): GrpoConfig {
  return grpoConfig({
    ...(losses?.ratio !== undefined && { losses: { ratio: losses.ratio } }),
    ...(env !== undefined && { env }),
    ...(preset !== undefined && { preset }),
    ...(policy !== undefined && { policy }),
    ...(typeof init === 'string' && { init }),
    ...(asksAdapter(trained) && { trained: { parts: 'lora' as const } }),
  });
}

/** `max_pixels` of the published runs: 512 visual tokens of 28 · 28 */
const publishedMaxPixels = 401_408;

/** A preset's part of a configuration. */
export function grpoPresetConfig(preset: GrpoPresetName) {
  const { epochs, settings } = grpoPreset(preset);
  const { updates, ...play } = settings.play;
  return {
    preset,
    ...settings,
    play: {
      ...play,
      epochs,
      updates: epochs === null ? updates : null,
      // sampling also uses answers that are never greedy, so two untrained roles can learn
      speakerTemperature: preset === 'tiny' ? 1 : 0,
    },
    model: { maxPixels: preset === 'tiny' ? null : publishedMaxPixels },
  };
}

/** A preset's new adapter, on all linear layers. */
export function adapterOfGrpoPreset(preset: GrpoPresetName): FreshAdapter {
  if (preset === 'tiny') return defaultAdapter;
  const rank = preset === 'published-14b' ? 128 : 64;
  return { ...defaultAdapter, rank, alpha: 2 * rank, dropout: 0.001 };
}

/** The algorithm's settings in a configuration, for so many tasks. Errors: `usage` for epochs of endless tasks. */
export function grpoSettingsOf(
  { play, losses, optimization }: GrpoConfig,
  tasks: number | null,
): GrpoSettings {
  const { updates, epochs, promptsPerUpdate, groupSize, together, redraws } = play;
  const { temperature, finalTemperature } = play;
  const rest = { promptsPerUpdate, groupSize, temperature, finalTemperature, together, redraws };
  if (updates === null && tasks === null)
    throw new EmacError(
      'usage',
      `--epochs ${epochs}: the tasks are unlimited, so passes have no end; give --updates`,
    );
  const needed = Math.max(1, Math.ceil(((epochs ?? 1) * (tasks ?? 1)) / play.promptsPerUpdate));
  const settings = { play: { ...rest, updates: updates ?? needed }, losses, optimization };
  checkGrpoSettings(settings);
  return settings;
}
