/**
 * The settings of methods that learn from labels or a dataset, by group: range, words and flag of each, and joint checks. `presets.ts` names
 * the sources of their values.
 */
import { EmacError } from '@emac/core';
import { checkPreferenceOptions, type PreferenceOptions } from '@emac/losses';
import { dynamicLossScaling } from '@emac/optim';
import { expertActs, policyActs } from '@emac/rollout';
import { z } from 'zod';
import { given, share, whole, type Optional } from './setting.ts';
import { adamSettings } from './shared-settings.ts';

export const labelPlay = z.strictObject({
  rounds: whole(1, 10_000).describe('passes over the games').meta(given('rounds')),
  gamesPerRound: whole(1, 100_000)
    .describe(
      'number of games, the same in every round; dpo prefers those --ref’s run did not solve, then unseen ones',
    )
    .meta(given('games-per-round')),
  episodesPerUpdate: whole(1, 100_000)
    .describe('episodes per policy version (between updates)')
    .meta(given('episodes-per-update')),
  maxSteps: whole(1, 10_000)
    .nullable()
    .describe('step limit of an episode; own, the default outside alfworld: the limit of --env')
    .meta(given('max-steps', { when: 'always', none: 'own' })),
  expertShare: z
    .strictObject({
      start: share
        .describe('--act-with mixture: probability of the expert in the first round')
        .meta(given('expert-probability', { when: 'mixture', otherwise: '1' })),
      decay: share
        .describe('--act-with mixture: factor on that probability per round')
        .meta(given('expert-decay', { when: 'mixture', otherwise: '0.5' })),
    })
    .describe('acting policy; mixture: the expert with a probability that falls each round, else the student')
    .meta(
      given('act-with', {
        words: { student: policyActs, expert: expertActs, mixture: { start: 1, decay: 0.5 } },
      }),
    ),
  admissibleOnly: z
    .boolean()
    .nullable()
    .default(null)
    .describe('restrict the policy to commands the game accepts (admissible)')
    .meta(given('admissible-only', { when: ['always', 'model'] })),
  skipSolved: z
    .boolean()
    .describe('skip games the policy has won in later rounds')
    .meta(
      given('', {
        off: { flag: 'no-skip-solved', help: 'replay won games in later rounds' },
      }),
    ),
  stopRepeating: z
    .boolean()
    .describe('end an episode that repeats itself')
    .meta(
      given('stop-repeating', {
        off: {
          flag: 'no-stop-repeating',
          help: 'play repeating episodes to the step limit',
        },
      }),
    ),
});

export const labelSamples = z.strictObject({
  /** episodes whose steps are stored and followed by updates */
  trainAfter: z
    .enum(['every-episode', 'failed-episodes'])
    .describe('episodes to learn from')
    .meta(
      given('train-after', {
        when: 'played',
        words: { 'every-episode': 'every-episode', failed: 'failed-episodes' },
      }),
    ),
  selection: z
    .union([
      z.strictObject({ keep: z.enum(['all', 'distinct']) }),
      z.strictObject({
        keep: z.literal('departure'),
        after: whole(0, 10_000)
          .describe('--train-on departure: also keep so many steps after the first wrong one')
          .meta(given('departure-steps', { when: 'departure', otherwise: '0' })),
      }),
    ])
    .describe('steps to learn from: all, without repeated ones, or up to the first wrong one')
    .meta(
      given('train-on', {
        when: 'played',
        words: {
          all: { keep: 'all' },
          distinct: { keep: 'distinct' },
          departure: { keep: 'departure', after: 0 },
        },
      }),
    ),
  /** of steps where both agree: no pair; a pair of equal commands, as published, of which only the mix term has a gradient; or the rejected command is drawn from the other admissible ones */
  agreed: z
    .enum(['drop', 'keep', 'random'])
    .describe('dpo: if policy and expert agree: drop the pair, keep it, or pair with a random command')
    .meta(given('agreed', { when: 'pairs' })),
  /** the policy’s own command as label, as in the published code */
  trainOnUnusable: z
    .boolean()
    .describe("label if the expert's reply is unusable: none, or the policy's own command")
    .meta(given('unusable-labels', { when: 'played', words: { skip: false, own: true } })),
});

export const labelOptimization = z.strictObject({
  updates: whole(1)
    .nullable()
    .default(null)
    .describe(
      'length of the run: it ends after so many updates, also within a round or an epoch. Without --rounds it has the rounds for them, if every episode is learned from',
    )
    .meta(given('updates', { aliases: ['max-updates'], otherwise: 'all of --rounds, or --epochs' })),
  updatesPerEpisode: whole(0, 10_000)
    .describe('gradient steps after every episode')
    .meta(given('updates-per-episode', { when: 'played' })),
  batchSize: whole(1, 1024).describe('samples of one micro-step').meta(given('batch-size')),
  accumulate: whole(1, 1024).describe('micro-steps of one update').meta(given('accumulate')),
  replacement: z
    .boolean()
    .describe('sample micro-steps with replacement')
    .meta(
      given('', {
        when: 'played',
        off: { flag: 'without-replacement', help: 'sample micro-steps without replacement' },
      }),
    ),
  schedule: z
    .enum(['round-cosine', 'linear', 'constant'])
    .describe(
      'learning-rate schedule after warm-up: cosine within each round, linear to the minimum, or constant',
    )
    .meta(given('schedule')),
  learningRate: z
    .number()
    .positive()
    .describe('highest learning rate')
    .meta(given('lr', { aliases: ['learning-rate'] })),
  warmup: whole(0).describe('micro-steps of linear warm-up').meta(given('warmup')),
  warmupStart: z
    .number()
    .min(0)
    .describe('learning rate at the start of the warm-up')
    .meta(given('warmup-lr')),
  minimum: z.number().min(0).describe('learning rate to which the schedule falls').meta(given('min-lr')),
  ...adamSettings,
  lossScaling: z
    .strictObject({
      start: z.number().positive(),
      growth: z.number().positive(),
      backoff: z.number().positive(),
      interval: whole(1, 1_000_000_000),
    })
    .nullable()
    .describe(
      'scale the loss for half-precision gradients; an overflow skips the update and lowers the scale',
    )
    .meta(given('loss-scaling', { words: { none: null, dynamic: dynamicLossScaling } })),
});

export const labelPreference = z.strictObject({
  loss: z
    .enum(['sigmoid', 'ipo', 'hinge'])
    .describe('dpo: the preference loss')
    .meta(given('loss', { when: 'ofDifference' })),
  beta: z
    .number()
    .positive()
    .describe('inverse temperature of the implicit reward; orpo: weight of the odds ratio')
    .meta(given('beta')),
  mixRatio: z
    .number()
    .min(0)
    .describe('weight of −log π(chosen) beside the preference loss')
    .meta(given('mix-ratio')),
  labelSmoothing: z
    .number()
    .min(0)
    .describe('dpo, sigmoid: label smoothing: probability of swapped pairs, below 0.5')
    .meta(given('label-smoothing', { when: 'ofDifference' })),
  targetMargin: z
    .number()
    .min(0)
    .default(0)
    .describe('simpo: γ, the margin that the chosen answer’s reward should have')
    .meta(given('target-margin', { when: 'ofMargin', aliases: ['simpo-gamma'], otherwise: '1' })),
  desirableWeight: z
    .number()
    .min(0)
    .default(1)
    .describe('kto: weight λ of chosen answers')
    .meta(given('desirable-weight', { when: 'ofWeights' })),
  undesirableWeight: z
    .number()
    .min(0)
    .default(1)
    .describe('kto: weight λ of rejected answers')
    .meta(given('undesirable-weight', { when: 'ofWeights' })),
  referenceFree: z
    .boolean()
    .describe('dpo: no reference policy (uniform)')
    .meta(given('reference-free', { when: 'ofDifference' })),
  averageLogProbabilities: z
    .boolean()
    .describe('dpo: average log-probabilities over tokens instead of summing; ipo becomes length-normalized')
    .meta(
      given('', {
        when: 'ofDifference',
        off: {
          flag: 'sum-log-probs',
          help: 'dpo: log-probabilities are sums over tokens, not means; ipo is then not length-normalized',
        },
      }),
    ),
});

type OwnPlay = z.output<typeof labelPlay>;

/** How episodes are played: with the limit of steps and the admissible commands in use. */
export interface PlaySettings extends Omit<OwnPlay, 'maxSteps' | 'admissibleOnly'> {
  readonly maxSteps: number;
  readonly admissibleOnly: boolean;
}

export type SampleSettings = z.output<typeof labelSamples>;
export type OptimizationSettings = Optional<
  z.output<typeof labelOptimization>,
  'updates' | 'gradientShards' | 'optimizer'
>;

export interface TrainingSettings {
  readonly play: PlaySettings;
  readonly samples: SampleSettings;
  readonly optimization: OptimizationSettings;
  /** of preference training */
  readonly preference: Required<PreferenceOptions>;
}

/** Throws `usage` for settings that do not go together, and for options of a loss out of range. */
export function checkSettings({ optimization, preference }: TrainingSettings): void {
  checkPreferenceOptions(preference);
  const { minimum, learningRate } = optimization;
  if (minimum > learningRate)
    throw new EmacError(
      'usage',
      `schedule: the minimum ${minimum} must not be above the learning rate ${learningRate}`,
    );
}
