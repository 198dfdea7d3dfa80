/** The settings of proximal policy optimization by group: range, words and flag of each, and joint checks. */
import { z } from 'zod';
import { EmacError } from '@emac/core';
import {
  adamSettings,
  clipRange,
  finalTemperature,
  maxStaleness,
  rateSchedule,
  temperature,
} from '../shared-settings.ts';
import { checkRanges, coefficient, given, positive, share, whole, type Optional } from '../setting.ts';

const steps = whole(1, 999_999_999_999);

export const ppoPlay = z.strictObject({
  environmentSteps: steps
    .describe('environment steps of the run; the last update may exceed it by less than its own steps')
    .meta(given('steps', { aliases: ['total-steps'] })),
  stepsPerUpdate: whole(1).describe('steps of each environment per update').meta(given('num-steps')),
  temperature,
  finalTemperature,
  together: whole(1, 65_536)
    .nullable()
    .default(null)
    .describe('environments per batch (changes results in the last bits); with --queue one job each')
    .meta(given('envs-together', { none: 'all', otherwise: 'all' })),
});

export const ppoAdvantages = z.strictObject({
  discount: share.describe('discount factor γ').meta(given('gamma')),
  trace: share.describe('λ of generalized advantage estimation').meta(given('gae-lambda')),
  tokenTrace: share
    .optional()
    .describe(
      'a model: λ of generalized advantage estimation over the tokens of an answer, whose last is credited with its step (bi-level GAE, VAGEN); values are then learned before every token',
    )
    .meta(given('token-lambda', { when: 'model', otherwise: 'one advantage an answer' })),
  tokenDiscount: share
    .optional()
    .describe('--token-lambda: discount factor γ from token to token')
    .meta(given('token-gamma', { when: 'model', otherwise: '1' })),
  truncation: z
    .enum(['bootstrap', 'termination', 'masked'])
    .describe('after a step limit: bootstrap from the last value, treat it as an end, or mask the step')
    .meta(given('truncation')),
  normalize: z
    .enum(['update', 'minibatch'])
    .nullable()
    .describe('normalize advantages to mean 0 and deviation 1: over an update, a minibatch, or not')
    .meta(
      given('normalize-advantages', {
        words: { update: 'update', minibatch: 'minibatch', none: null },
      }),
    ),
  normalizeEpsilon: coefficient
    .describe('ε in the normalization of advantages')
    .meta(given('advantage-epsilon')),
  limit: positive
    .nullable()
    .default(null)
    .describe('clip normalized advantages at ± this')
    .meta(given('advantage-limit', { none: 'none' })),
});

export const ppoShaping = z.strictObject({
  actionFrequencyBonus: coefficient
    .default(0)
    .describe('exploration bonus in failed episodes: this over √(uses of the action), added to advantages')
    .meta(given('action-frequency-bonus')),
  utility: z
    .enum(['reward', 'advantage'])
    .nullable()
    .default(null)
    .describe(
      'use step ratings (scripted player or --utility-data): up to 0.04 more reward in successful episodes, or a share of the advantages that falls to 0 in the first quarter',
    )
    .meta(
      given('utility', {
        when: ['numbers', 'here'],
        words: { reward: 'reward', advantage: 'advantage', none: null },
      }),
    ),
  temporalPredictor: coefficient
    .default(0)
    .describe(
      "a model: scale of the novelty bonus in failed episodes, from a second adapter that predicts the episode's actions; 0: off",
    )
    .meta(given('temporal-predictor', { when: ['model', 'numbers'] })),
});

export const ppoLosses = z.strictObject({
  policy: z
    .enum(['ppo', 'rlef'])
    .describe(
      'policy loss: clipped surrogate (ppo), or cloning of own answers weighted by min(e^A, 10) (rlef)',
    )
    .meta(given('policy-loss')),
  clip: clipRange(['clip-param-high'])
    .describe('PPO clip range ε')
    .meta(given('clip', { aliases: ['clip-param'] })),
  credit: z
    .enum(['token', 'answer'])
    .describe('one probability ratio per token (VL-DAC), or per answer (RL4VLM)')
    .meta(given('credit', { when: 'model' })),
  thoughtCoefficient: coefficient
    .describe('--credit answer: weight of the thoughts’ log-probability beside the action’s')
    .meta(given('thought-prob-coef', { when: ['model', 'answers'] })),
  ratioGuard: z
    .number()
    .gt(1)
    .max(1_000_000_000)
    .nullable()
    .describe('--credit answer: answers with a larger probability ratio get the clipped loss only')
    .meta(given('ratio-guard', { when: 'model', none: 'none' })),
  entropyCoefficient: coefficient.describe('weight of the entropy bonus').meta(given('entropy-coef')),
  valueCoefficient: coefficient.describe('weight of the critic’s loss').meta(given('value-loss-coef')),
  valueClip: positive
    .nullable()
    .describe('clip range of values around those before the update')
    .meta(given('value-clip', { none: 'none' })),
});

export const ppoOptimization = z.strictObject({
  passes: whole(1, 10_000)
    .describe('epochs: passes over the steps of an update')
    .meta(given('passes', { aliases: ['ppo-epoch'] })),
  minibatchSize: whole(1)
    .describe('minibatch size in steps; the last of a pass may be smaller')
    .meta(given('batch-size', { aliases: ['mini-batch-size', 'minibatch-size'] })),
  learningRate: positive
    .describe('learning rate of the first update')
    .meta(given('lr', { aliases: ['init-lr', 'learning-rate'] })),
  ...rateSchedule,
  decayUpdates: whole(1, 999_999_999_999)
    .nullable()
    .describe('length of the learning-rate schedule in updates')
    .meta(given('lr-max-steps', { none: 'all' })),
  valueSchedule: z
    .enum(['constant', 'linear', 'cosine'])
    .nullable()
    .default(null)
    .describe('learning-rate schedule of the critic; joint: the policy’s')
    .meta(given('value-schedule', { none: 'joint' })),
  valueClipNorm: positive
    .nullable()
    .default(null)
    .describe('largest gradient norm of the critic; joint: one norm for both')
    .meta(given('value-max-grad-norm', { none: 'joint' })),
  valueInitSteps: whole(0)
    .describe('updates at the start that train only the critic')
    .meta(given('value-init-steps')),
  targetKl: positive
    .nullable()
    .describe('end an update once its approximate KL exceeds 1.5 × this')
    .meta(given('target-kl', { none: 'none' })),
  ...adamSettings,
  clipNorm: adamSettings.clipNorm.describe(
    'largest gradient norm: of all parameters, or of the policy’s if the critic has its own limit',
  ),
  maxStaleness,
});

const ppoSettingsSchema = z.strictObject({
  play: ppoPlay,
  advantages: ppoAdvantages,
  shaping: ppoShaping,
  losses: ppoLosses,
  optimization: ppoOptimization,
});

export type PpoPlaySettings = Optional<z.output<typeof ppoPlay>, 'together'>;
export type PpoAdvantageSettings = Optional<z.output<typeof ppoAdvantages>, 'limit'>;
export type PpoShapingSettings = z.output<typeof ppoShaping>;
export type PpoLossSettings = z.output<typeof ppoLosses>;
export type PpoOptimizationSettings = Optional<
  z.output<typeof ppoOptimization>,
  'maxStaleness' | 'gradientShards' | 'optimizer'
>;

export interface PpoSettings {
  readonly play: PpoPlaySettings;
  readonly advantages: PpoAdvantageSettings;
  readonly shaping: PpoShapingSettings;
  readonly losses: PpoLossSettings;
  readonly optimization: PpoOptimizationSettings;
}

/** Updates of a run. */
export function updatesOf({ play }: PpoSettings, environments: number): number {
  return Math.ceil(play.environmentSteps / (play.stepsPerUpdate * environments));
}

/** Largest number of steps per update, since all are kept at once. */
const stepsAtMost = 2 ** 20;

/** Throws `usage` with the flag's name for a number out of range, and for settings that do not go together. */
export function checkPpoSettings(settings: PpoSettings, environments: number): void {
  checkRanges(ppoSettingsSchema, settings);
  const { play, advantages, shaping, losses, optimization } = settings;
  const refuse = (rule: string, value: number) => {
    throw new EmacError('usage', `${rule}, got ${value}`);
  };
  if (play.stepsPerUpdate * environments > stepsAtMost)
    refuse(
      `--num-steps: an update may have at most ${stepsAtMost} steps over all ${environments} environments`,
      play.stepsPerUpdate,
    );
  if (advantages.tokenTrace !== undefined && losses.credit !== 'token')
    refuse(
      '--token-lambda: needs --credit token, since a ratio an answer has one advantage an answer',
      advantages.tokenTrace,
    );
  if (advantages.tokenTrace !== undefined && shaping.utility === 'advantage')
    refuse(
      '--token-lambda: needs another --utility than advantage, which mixes ratings of steps into their advantages',
      advantages.tokenTrace,
    );
  if (advantages.tokenDiscount !== undefined && advantages.tokenTrace === undefined)
    refuse('--token-gamma: needs --token-lambda', advantages.tokenDiscount);
  if (losses.ratioGuard !== null && losses.credit !== 'answer')
    refuse('--ratio-guard: must be none unless --credit is answer', losses.ratioGuard);
  const { maxStaleness: staleness = 0 } = optimization;
  if (staleness > 0 && losses.policy === 'rlef')
    refuse(
      '--max-staleness: must be 0 with --policy-loss rlef, which has no ratio to weight older steps by',
      staleness,
    );
}
