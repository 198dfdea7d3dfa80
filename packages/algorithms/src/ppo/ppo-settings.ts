/** The numbers of proximal policy optimization, in the groups that read them, and what they must be beyond their types. */
import type { Clipping, PolicyLossOptions } from '@emac/losses';
import type { AdamWOptions, Decay } from '@emac/optim';
import type { TruncationRule } from '@emac/rollout';
import { above, atLeast, check, share, whole } from '../number-checks.ts';
import { checkStaleness } from '../versions.ts';

export interface PpoPlaySettings {
  /** of all environments together; the last update may go beyond it by less than its own steps */
  readonly environmentSteps: number;
  /** of each environment, that one version of the policy makes before it learns */
  readonly stepsPerUpdate: number;
  /** above 0, divides the logits where answers are drawn and where they are scored */
  readonly temperature: number;
  /** environments whose prompts are asked about at once, and whose steps are one job where they are played elsewhere; absent or null: all */
  readonly together?: number | null;
}

export interface PpoAdvantageSettings {
  /** γ */
  readonly discount: number;
  /** λ of generalized advantages */
  readonly trace: number;
  readonly truncation: TruncationRule;
  /** over which steps advantages get mean 0 and deviation 1; null for none */
  readonly normalize: 'update' | 'minibatch' | null;
  /** added to that deviation */
  readonly normalizeEpsilon: number;
}

export interface PpoLossSettings {
  /** `ppo`: the clipped surrogate; `rlef`: behaviour cloning weighted by min(eᴬ, 10), without ratio, clip or guard */
  readonly policy: 'ppo' | 'rlef';
  readonly clip: Clipping;
  readonly credit: PolicyLossOptions['credit'];
  /** with a ratio an answer: what the log-probability of its thoughts counts beside that of its action */
  readonly thoughtCoefficient: number;
  /** an answer with a ratio above this has the clamped ratio alone in its loss, as RL4VLM's code has above 10; null for never */
  readonly ratioGuard: number | null;
  /** what a nat of entropy is worth: it is taken off the loss */
  readonly entropyCoefficient: number;
  readonly valueCoefficient: number;
  /** null for none */
  readonly valueClip: number | null;
}

export interface PpoOptimizationSettings extends AdamWOptions, Pick<Decay, 'schedule' | 'finalShare'> {
  /** passes over the steps of an update */
  readonly epochs: number;
  /** steps of one gradient; the last minibatch of a pass has what is left */
  readonly minibatchSize: number;
  readonly learningRate: number;
  /** updates in which the rates fall; null for all of the run */
  readonly decayUpdates: number | null;
  /** how the rate of the values falls, which then counts its own updates, as the policy's does; null where both fall together, over all updates of the run */
  readonly valueSchedule: Decay['schedule'] | null;
  /** limit of the joint gradient norm, or of the policy's alone where the values have one; null for none */
  readonly clipNorm: number | null;
  /** limit of the norm of the values' gradient; null where both are clipped jointly */
  readonly valueClipNorm: number | null;
  /** in so many updates, from the first, the values learn and the policy does not */
  readonly valueInitSteps: number;
  /**
   * an update ends before a minibatch whose approximate divergence is above 1.5 times this (Stable-Baselines3's rule); null
   * for never
   */
  readonly targetKl: number | null;
  /** an update u learns from steps of the policy as it was after max(0, u − this) updates; absent: 0 */
  readonly maxStaleness?: number;
}

/** What is added to what the environment gives. */
export interface PpoShapingSettings {
  /** what the first use of an action is worth in an episode that failed, in units of advantages; 0 for nothing */
  readonly actionFrequencyBonus: number;
  /** what the run's ratings of steps do: a dense reward in episodes that succeed, or a share of the advantages, falling to 0; null without ratings */
  readonly utility: 'reward' | 'advantage' | null;
  /** what the step that the run's predictor of actions expected least is worth in an episode that failed, in units of advantages; 0 for no predictor */
  readonly temporalPredictor: number;
}

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

/** Steps of an update, which are all kept at once. */
const stepsAtMost = 2 ** 20;

/** Throws `usage` with the flag's name for a number out of range. */
export function checkPpoSettings(
  { play, advantages, shaping, losses, optimization }: PpoSettings,
  environments: number,
): void {
  whole('--total-steps', play.environmentSteps, 1);
  whole('--num-steps', play.stepsPerUpdate, 1);
  const fits = play.stepsPerUpdate * environments <= stepsAtMost;
  const rule = `at most ${stepsAtMost} steps in all ${environments} environments`;
  check('--num-steps', { fits, rule, value: play.stepsPerUpdate });
  above('--temperature', play.temperature, 0);
  share('--gamma', advantages.discount);
  share('--gae-lambda', advantages.trace);
  atLeast('--advantage-epsilon', advantages.normalizeEpsilon, 0);
  atLeast('--action-frequency-bonus', shaping.actionFrequencyBonus, 0);
  atLeast('--temporal-predictor', shaping.temporalPredictor, 0);
  above('--clip-param', losses.clip.high, 0);
  above('--clip-param', losses.clip.low, 0);
  share('--clip-param', losses.clip.low);
  atLeast('--thought-prob-coef', losses.thoughtCoefficient, 0);
  if (losses.ratioGuard !== null) {
    above('--ratio-guard', losses.ratioGuard, 1);
    const { credit } = losses;
    check('--ratio-guard', {
      fits: credit === 'answer',
      rule: 'none unless --credit is answer',
      value: losses.ratioGuard,
    });
  }
  atLeast('--entropy-coef', losses.entropyCoefficient, 0);
  atLeast('--value-loss-coef', losses.valueCoefficient, 0);
  if (losses.valueClip !== null) above('--value-clip', losses.valueClip, 0);
  whole('--ppo-epoch', optimization.epochs, 1);
  whole('--mini-batch-size', optimization.minibatchSize, 1);
  above('--init-lr', optimization.learningRate, 0);
  share('--lr-final-share', optimization.finalShare);
  if (optimization.decayUpdates !== null) whole('--lr-max-steps', optimization.decayUpdates, 1);
  if (optimization.clipNorm !== null) above('--max-grad-norm', optimization.clipNorm, 0);
  if (optimization.valueClipNorm !== null) above('--value-max-grad-norm', optimization.valueClipNorm, 0);
  whole('--value-init-steps', optimization.valueInitSteps, 0);
  if (optimization.targetKl !== null) above('--target-kl', optimization.targetKl, 0);
  checkStale(optimization.maxStaleness ?? 0, losses);
  above('--eps', optimization.epsilon, 0);
  atLeast('--weight-decay', optimization.weightDecay, 0);
  for (const beta of optimization.betas)
    check('--betas', { fits: beta >= 0 && beta < 1, rule: 'from 0 to below 1', value: beta });
}

function checkStale(updates: number, { policy }: PpoLossSettings): void {
  checkStaleness(updates);
  const rule = '0 where --policy-loss is rlef, which has no ratio to weight older steps by';
  check('--max-staleness', { fits: updates === 0 || policy === 'ppo', rule, value: updates });
}
