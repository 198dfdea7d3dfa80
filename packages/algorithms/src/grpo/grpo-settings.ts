/** The settings of GRPO by group, and their checks beyond types. */
import type { GrpoLossOptions, Normalization } from '@emac/losses';
import type { AdamWOptions, Decay } from '@emac/optim';
import type { AdvantageEstimator, AdvantageScale } from '@emac/rollout';
import { EmacError } from '@emac/core';
import { above, atLeast, check, share, whole } from '../number-checks.ts';
import { checkStaleness } from '../versions.ts';

export interface GrpoPlaySettings {
  readonly updates: number;
  /** groups of an update: prompts, or tasks that are played */
  readonly promptsPerUpdate: number;
  /** G: answers to each prompt, or attempts at each task */
  readonly groupSize: number;
  /** above 0, divides the logits in sampling and scoring */
  readonly temperature: number;
  /** prompts per batch, and per job on workers; absent or null: all of an update */
  readonly together?: number | null;
}

/**
 * What is compared within a group: attempts (`group`, `leave-one-out`), attempts and single steps from equal states
 * (`steps`, GiGPO), or steps alone, by the states that led to them (`history`, HGPO).
 */
export type Credit = AdvantageEstimator | 'steps' | 'history';

export interface StepCredit {
  /** γ of the returns that are compared */
  readonly discount: number;
  /** `steps`: ω, the factor of the step part beside the attempt's */
  readonly weight: number;
  /** `history`: K, states before a step's own in the longest context */
  readonly history: number;
  /** `history`: α, a context of k states weighs (k + 1)^α */
  readonly exponent: number;
}

/** As the ALFWorld recipes of GiGPO (arXiv 2505.10978) and HGPO (arXiv 2602.22817) have them. */
export const publishedCredit: StepCredit = { discount: 0.95, weight: 1, history: 2, exponent: 1 };

/** Whether single steps are compared, so that every step needs its state and its own reward. */
export function creditsSteps({ advantages }: Pick<GrpoLossSettings, 'advantages'>): boolean {
  return advantages === 'steps' || advantages === 'history';
}

export interface GrpoLossSettings extends GrpoLossOptions {
  /** what is compared within a group; absent: `group` */
  readonly advantages?: Credit;
  /** of `steps` and `history`; absent: `publishedCredit` */
  readonly credit?: StepCredit;
  /** the divisor of `group` advantages */
  readonly scale: AdvantageScale;
  readonly normalization: Normalization;
  /** tokens that an answer may have, its end token included; `dr_grpo` divides by it */
  readonly maxLength: number;
}

export interface GrpoOptimizationSettings extends AdamWOptions, Pick<Decay, 'schedule' | 'finalShare'> {
  /** passes over the rows of an update: every answer is one */
  readonly iterations: number;
  /** rows of one gradient step; null for all of an update */
  readonly minibatchSize: number | null;
  /** rows that `bnpo` takes a mean over; null for a minibatch */
  readonly microBatchSize: number | null;
  readonly learningRate: number;
  /** gradient steps of linear warm-up from 0, counted with one step per attempt */
  readonly warmupSteps: number;
  /** limit of the joint gradient norm; null for none */
  readonly clipNorm: number | null;
  /** an update u learns from answers of the policy after max(0, u − this) updates; absent: 0 */
  readonly maxStaleness?: number;
}

export interface GrpoSettings {
  readonly play: GrpoPlaySettings;
  readonly losses: GrpoLossSettings;
  readonly optimization: GrpoOptimizationSettings;
}

/** Gradient steps per update if every attempt has one step. */
export function stepsPerGrpoUpdate({ play, optimization }: GrpoSettings): number {
  const answers = play.promptsPerUpdate * play.groupSize;
  return optimization.iterations * Math.ceil(answers / (optimization.minibatchSize ?? answers));
}

/** Largest number of answers per update, since all are kept at once. */
const answersAtMost = 2 ** 20;

/** Throws `usage` with the flag's name for a number out of range. */
export function checkGrpoSettings({ play, losses, optimization }: GrpoSettings): void {
  whole('--updates', play.updates, 1);
  whole('--prompts-per-update', play.promptsPerUpdate, 1);
  whole('--num-generations', play.groupSize, 2);
  const answers = play.promptsPerUpdate * play.groupSize;
  const rule = `so few that an update has at most ${answersAtMost} answers`;
  check('--num-generations', { fits: answers <= answersAtMost, rule, value: play.groupSize });
  above('--temperature', play.temperature, 0);
  atLeast('--beta', losses.beta, 0);
  if (creditsSteps(losses)) checkCredit(losses);
  whole('--max-new-tokens', losses.maxLength, 1);
  if (losses.clip) {
    above('--epsilon', losses.clip.low, 0);
    share('--epsilon', losses.clip.low);
    above('--epsilon-high', losses.clip.high, 0);
  }
  whole('--num-iterations', optimization.iterations, 1);
  if (optimization.minibatchSize !== null) whole('--minibatch-size', optimization.minibatchSize, 1);
  if (optimization.microBatchSize !== null) whole('--micro-batch-size', optimization.microBatchSize, 1);
  above('--lr', optimization.learningRate, 0);
  whole('--warmup', optimization.warmupSteps, 0);
  share('--lr-final-share', optimization.finalShare);
  if (optimization.clipNorm !== null) above('--max-grad-norm', optimization.clipNorm, 0);
  checkStaleness(optimization.maxStaleness ?? 0);
  above('--eps', optimization.epsilon, 0);
  atLeast('--weight-decay', optimization.weightDecay, 0);
  for (const beta of optimization.betas)
    check('--betas', { fits: beta >= 0 && beta < 1, rule: 'from 0 to below 1', value: beta });
}

function checkCredit({ advantages, scale, credit = publishedCredit }: GrpoLossSettings): void {
  if (scale === 'batch')
    throw new EmacError(
      'usage',
      `--scale-rewards: must be group or none with --advantages ${advantages}, which compares steps from equal states, got batch`,
    );
  share('--gamma', credit.discount);
  atLeast('--step-weight', credit.weight, 0);
  whole('--history', credit.history, 0);
  atLeast('--history-exponent', credit.exponent, 0);
}
