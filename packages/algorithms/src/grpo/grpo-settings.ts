/** The settings of GRPO by group: range, words and flag of each, and joint checks. */
import { z } from 'zod';
import { EmacError } from '@emac/core';
import { normalizations, ratios, type Clipping } from '@emac/losses';
import { leastGroup } from '@emac/rollout';
import {
  adamSettings,
  clipRange,
  finalTemperature,
  maxStaleness,
  rateSchedule,
  temperature,
} from '../shared-settings.ts';
import { checkRanges, coefficient, given, positive, share, whole, type Optional } from '../setting.ts';
import { advantageNames, groupMethodOf, groupMethods, type CreditSettings } from './group-methods.ts';

/** As the ALFWorld recipes of GiGPO (arXiv 2505.10978) and HGPO (arXiv 2602.22817) have them; GraphGPO (arXiv 2605.26684) shares the first. */
export const publishedCredit: CreditSettings = {
  discount: 0.95,
  weight: 1,
  attemptWeight: 1,
  history: 2,
  exponent: 1,
};

/** Where a ratio is of an answer (GSPO, arXiv 2507.18071, section 5.1): its clip range, and no penalty. */
export const answerRatioDefaults: { readonly clip: Clipping; readonly beta: number } = {
  clip: { low: 3e-4, high: 4e-4 },
  beta: 0,
};

export const grpoPlay = z.strictObject({
  updates: whole(1).describe('policy updates of the run').meta(given('updates')),
  promptsPerUpdate: whole(1, 65_536)
    .describe('prompts answered, or tasks attempted, between two updates')
    .meta(given('prompts-per-update')),
  groupSize: whole(1, 4096)
    .describe('answers to each prompt, or attempts at each task, compared with each other')
    .meta(given('group-size', { aliases: ['num-generations'] })),
  temperature,
  finalTemperature,
  together: whole(1, 65_536)
    .nullable()
    .default(null)
    .describe('prompts or tasks per batch (changes results in the last bits); with --queue one job each')
    .meta(given('prompts-together', { none: 'all', otherwise: 'all' })),
  redraws: whole(0, 1000)
    .optional()
    .describe(
      'times a group whose attempts all earned the same is replaced by another (dynamic sampling, DAPO)',
    )
    .meta(given('redraws', { when: 'groups', otherwise: '0' })),
});

export const grpoLosses = z.strictObject({
  beta: coefficient
    .describe('weight β of the KL penalty to the model without its adapter')
    .meta(given('beta', { when: 'model' })),
  estimate: z
    .enum(['k1', 'k2', 'k3'])
    .optional()
    .describe(
      'estimate of that divergence: −x, x² / 2 or eˣ − 1 − x of the log-ratio x (k1 teaches nothing in the loss)',
    )
    .meta(given('kl-estimator', { when: ['model', 'penalty'], otherwise: 'k3' })),
  penalty: z
    .enum(['loss', 'reward'])
    .optional()
    .describe('where the KL penalty goes: into the loss, or into the reward of every answer (REINFORCE++)')
    .meta(given('kl-in', { when: ['model', 'penalty'], otherwise: 'loss' })),
  ratio: z
    .enum(ratios)
    .optional()
    .describe(
      'probability ratio of each token, or of each answer to the power of 1 / its length (GSPO), without a penalty in the loss',
    )
    .meta(given('ratio', { aliases: ['importance-sampling-level'], otherwise: 'token' })),
  clip: clipRange(['epsilon-high'])
    .nullable()
    .describe('clip range ε of the probability ratio')
    .meta(
      given('clip', { aliases: ['epsilon'], otherwise: 'no clipping, or with --ratio answer 3e-4 and 4e-4' }),
    ),
  advantages: z
    .enum(advantageNames)
    .default('group')
    .describe(advantageNames.map((each) => `${each}: compares ${groupMethods[each].compares}`).join('; '))
    .meta(given('advantages')),
  credit: z
    .strictObject({
      discount: share
        .default(publishedCredit.discount)
        .describe('discount factor γ of the steps that are compared')
        .meta(given('gamma', { when: 'discounted' })),
      weight: coefficient
        .default(publishedCredit.weight)
        .describe("weight of a step's own advantage beside its attempt's")
        .meta(given('step-weight', { when: 'weighted' })),
      attemptWeight: coefficient
        .default(publishedCredit.attemptWeight)
        .describe("weight β_E of the attempt's advantage beside the step's own")
        .meta(given('attempt-weight', { when: 'attempts' })),
      history: whole(0, 1000)
        .default(publishedCredit.history)
        .describe('earlier states in the longest context')
        .meta(given('history', { when: 'contexts' })),
      exponent: z
        .number()
        .min(0)
        .max(100)
        .default(publishedCredit.exponent)
        .describe('a context of k states weighs (k + 1) to this power')
        .meta(given('history-exponent', { when: 'contexts' })),
    })
    .prefault({}),
  scale: z
    .enum(['group', 'batch', 'none'])
    .describe('divide advantages by the deviation of their group, of the batch, or by nothing')
    .meta(given('scale-rewards', { when: 'divided' })),
  normalization: z
    .enum(normalizations)
    .describe("how token losses are averaged (TRL's loss_type)")
    .meta(given('loss-type')),
  maxLength: whole(1, 65_536)
    .describe('longest answer in tokens, including the end token')
    .meta(given('max-new-tokens', { when: 'model', aliases: ['max-completion-length', 'max-length'] })),
});

export const grpoOptimization = z.strictObject({
  passes: whole(1, 10_000)
    .describe('passes over the answers of an update')
    .meta(given('passes', { aliases: ['num-iterations'] })),
  minibatchSize: whole(1, 999_999_999)
    .nullable()
    .describe('answers of one gradient step')
    .meta(given('batch-size', { aliases: ['minibatch-size'], none: 'all' })),
  microBatchSize: whole(1, 999_999_999)
    .nullable()
    .describe('--loss-type bnpo: answers of one mean')
    .meta(given('micro-batch-size', { when: 'bnpo', none: 'all' })),
  learningRate: positive.describe('peak learning rate').meta(given('lr', { aliases: ['learning-rate'] })),
  warmup: whole(0, 999_999_999).describe('gradient steps of linear warm-up').meta(given('warmup')),
  ...rateSchedule,
  ...adamSettings,
  maxStaleness,
});

const grpoSettingsSchema = z.strictObject({
  play: grpoPlay,
  losses: grpoLosses,
  optimization: grpoOptimization,
});

export type GrpoPlaySettings = Optional<z.output<typeof grpoPlay>, 'together'>;
export type GrpoLossSettings = Optional<z.output<typeof grpoLosses>, 'advantages' | 'credit'>;
export type GrpoOptimizationSettings = Optional<
  z.output<typeof grpoOptimization>,
  'maxStaleness' | 'gradientShards' | 'optimizer'
>;

export interface GrpoSettings {
  readonly play: GrpoPlaySettings;
  readonly losses: GrpoLossSettings;
  readonly optimization: GrpoOptimizationSettings;
}

/** The weight of the KL penalty in the loss: 0 if it is in the reward. */
export function lossBeta({ beta, penalty }: Pick<GrpoLossSettings, 'beta' | 'penalty'>): number {
  return penalty === 'reward' ? 0 : beta;
}

/** Gradient steps per update if every attempt has one step. */
export function stepsPerGrpoUpdate({ play, optimization }: GrpoSettings): number {
  const answers = play.promptsPerUpdate * play.groupSize;
  return optimization.passes * Math.ceil(answers / (optimization.minibatchSize ?? answers));
}

/** Largest number of answers per update, since all are kept at once. */
const answersAtMost = 2 ** 20;

/** Throws `usage` with the flag's name for a number out of range, and for settings that do not go together. */
export function checkGrpoSettings(settings: GrpoSettings): void {
  checkRanges(grpoSettingsSchema, settings);
  const { play, losses } = settings;
  if (play.promptsPerUpdate * play.groupSize > answersAtMost)
    throw new EmacError(
      'usage',
      `--group-size: an update may have at most ${answersAtMost} answers, got a group size of ${play.groupSize}; give a smaller one`,
    );
  if (play.groupSize < leastGroup(groupMethodOf(losses).attempts))
    throw new EmacError(
      'usage',
      `--group-size: one attempt has none to be compared with, got ${play.groupSize}; give 2 or more, or --advantages batch`,
    );
  if (losses.ratio === 'answer' && lossBeta(losses) > 0)
    throw new EmacError(
      'usage',
      `--beta: must be 0 in the loss with --ratio answer, since that penalty is of tokens, got ${losses.beta}; give 0, or --kl-in reward`,
    );
  if (groupMethodOf(losses).steps && losses.scale === 'batch')
    throw new EmacError(
      'usage',
      `--scale-rewards: must be group or none with --advantages ${losses.advantages}, which compares steps from equal states, got batch; give group or none`,
    );
}
