/**
 * The configuration of `emac train --method ppo`, in the groups that read it: one schema with ranges and words for each setting.
 * Settings of presets have no defaults.
 */
import {
  coefficient,
  given,
  ppoAdvantages,
  ppoLosses,
  ppoOptimization,
  ppoPlay,
  ppoPresetNames,
  ppoShaping,
  share,
  textOrNull,
  whole,
  type PpoSettings,
} from '@emac/algorithms';
import { z } from 'zod';
import { curriculumFields } from './groups/curriculum.ts';
import { inferenceSchema } from './groups/inference.ts';
import { computingSchema, dialogueSetting, speechSchema } from './groups/model.ts';
import { usualObserveText } from './usual-observe.ts';
import * as run from './groups/run.ts';
import { temperatureOrZero } from './groups/temperature.ts';
import { valuesSchema } from './groups/values.ts';
import { learningAdapter } from './groups/adapter.ts';

const playSchema = ppoPlay.extend({
  updates: whole(1, 999_999_999)
    .optional()
    .describe('length of the run in updates, in place of --steps')
    .meta(given('updates', { otherwise: 'by --steps' })),
  environments: whole(1, 65_536)
    .describe('number of parallel environments')
    .meta(given('num-processes', { aliases: ['environments'] })),
  maxSteps: whole(1)
    .nullable()
    .describe('step limit of an episode; truncation bootstraps the value')
    .meta(given('max-steps', { none: 'own', otherwise: 'own' })),
  palette: z
    .enum(['true', 'legacy-wrapped'])
    .default('true')
    .describe('MiniGrid: colours of the picture; legacy-wrapped matches a published trainer')
    .meta(given('palette', { when: 'minigrid' })),
});

const curriculumSchema = z.strictObject({
  ...curriculumFields(
    'tabletop/…, or --curriculum-tasks: draw the task of each episode by its success rate s with {weights}; none: uniformly',
  ),
  tasks: textOrNull
    .describe(
      'MiniGrid: environments to train on, separated by commas, including --env. Sampled by --curriculum, else uniformly; evaluations alternate',
    )
    .meta(given('curriculum-tasks', { when: ['numbers', 'here'], otherwise: '--env alone' })),
});

export const ppoSchema = z.strictObject({
  ...run.beginning,
  env: run.beginning.env.meta(given('env', { otherwise: 'required unless --resume' })),
  utilities: textOrNull
    .describe(
      '--utility: folder or JSON file of emac collect --quality-scores; its ratings replace the scripted player’s',
    )
    .meta(given('utility-data', { when: 'rated', path: 'existing' })),
  preset: z
    .enum(ppoPresetNames)
    .default('tiny')
    .describe('named settings; other flags win over them')
    .meta(given('preset')),
  play: playSchema,
  advantages: ppoAdvantages,
  shaping: ppoShaping.prefault({}),
  losses: ppoLosses,
  optimization: ppoOptimization,
  curriculum: curriculumSchema.prefault({}).meta({ when: ['numbers', 'here'] }),
  trained: learningAdapter.prefault({}),
  value: valuesSchema.prefault({}).meta({ when: 'model' }),
  speech: z
    .strictObject({
      minLength: whole(1, 4096)
        .default(1)
        .describe('a model: shortest answer in tokens, before the end token')
        .meta(given('min-length')),
      maxLength: whole(1, 4096)
        .default(256)
        .describe('a model: longest answer in tokens, end token included')
        .meta(given('max-new-tokens', { aliases: ['max-length'] })),
      malformedPenalty: z
        .number()
        .min(-1_000_000)
        .max(0)
        .default(-1)
        .describe(
          'a model in tabletop/…: reward for an answer without a valid action; the robot then stands still',
        )
        .meta(given('penalty-reward-value', { when: 'robots' })),
      maxPromptTokens: whole(16, 65_536)
        .default(1024)
        .describe('a model: longest prompt in tokens')
        .meta(given('max-prompt-tokens', { aliases: ['max-text-tokens'] })),
      observe: speechSchema.shape.observe.meta(
        given('observe', { otherwise: `from --init, else ${usualObserveText}` }),
      ),
      dialogue: dialogueSetting,
      actionOnly: z
        .boolean()
        .default(false)
        .describe('a model in card games: prompt for the action only, without thoughts')
        .meta(given('action-only-prompt', { when: 'cards' })),
      actionScores: z
        .boolean()
        .default(false)
        .describe(
          'a model in MiniGrid: ask for a score (1 to 5) of each action, and sample in proportion to e^(score / 2)',
        )
        .meta(given('action-score-prompt', { when: 'minigrid' })),
    })
    .prefault({})
    .meta({ when: 'model' }),
  model: computingSchema.prefault({}),
  inference: inferenceSchema.prefault({}).meta({ when: 'model' }),
  evaluation: run
    .evaluation(200, '200; in tabletop/… all')
    .extend({
      temperature: temperatureOrZero
        .default(0)
        .describe('evaluation: sampling temperature; 0: greedy')
        .meta(given('eval-temperature')),
      attempts: whole(1, 1000)
        .optional()
        .describe(
          'evaluation: attempts at each held-out episode; more than 1 give avg@k and pass@k, and need --eval-temperature',
        )
        .meta(given('eval-attempts', { otherwise: '1' })),
    })
    .prefault({}),
  best: z
    .strictObject({
      ema: share
        .lt(1)
        .nullable()
        .default(null)
        .describe(
          'choose the best checkpoint by a moving average of returns with this α; none: by the update’s mean return',
        )
        .meta(given('best-ema', { none: 'none' })),
      minDelta: coefficient
        .default(0)
        .describe('--best-ema: smallest rise that counts')
        .meta(given('min-delta', { when: 'best' })),
      patience: whole(1, 999_999_999)
        .nullable()
        .default(null)
        .describe('--best-ema: stop training after so many updates without a rise')
        .meta(given('patience', { when: 'best', none: 'none' })),
    })
    .prefault({}),
  ...run.endingInUpdates,
});

export type PpoConfig = z.infer<typeof ppoSchema>;

/** A partial configuration, validated only when completed. */
export type GivenPpoConfig = Pick<PpoConfig, 'env'> & {
  readonly [K in Exclude<keyof PpoConfig, 'env'>]?: PpoConfig[K] extends object
    ? { readonly [N in keyof PpoConfig[K]]?: PpoConfig[K][N] }
    : PpoConfig[K];
};

/** The algorithm's settings in a configuration. */
export function ppoSettingsOf(config: PpoConfig): PpoSettings {
  const { play, advantages, shaping, losses, optimization } = config;
  const { environmentSteps, stepsPerUpdate, temperature, finalTemperature, together } = play;
  const playing = { environmentSteps, stepsPerUpdate, temperature, finalTemperature, together };
  return { play: playing, advantages, shaping, losses, optimization };
}
