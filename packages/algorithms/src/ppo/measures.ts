/** The metrics of PPO updates. */
import type { ActorCriticGradient } from '@emac/core';
import { clippedSurrogate, k3, numbers, weightedImitation } from '@emac/losses';
import { isSuccess, type CollectedSteps, type Reading, type StepTexts } from '@emac/rollout';
import { meanOf } from '../means.ts';
import type { BatchRow } from './batch.ts';
import type { PpoLossSettings } from './ppo-settings.ts';

/** Null if the policy does not learn, or no answer named its action. */
export interface MinibatchMeasures {
  /** without the entropy term: the mean over answers or tokens of the clipped surrogate or its replacement */
  readonly policy_loss: number | null;
  /** without its coefficient; null if that is 0 */
  readonly value_loss: number | null;
  /**
   * k3 estimate of the KL divergence between current and acting policy, in nats: per token, or per answer in its
   * ratio's form, thoughts with their coefficient
   */
  readonly approx_kl: number | null;
  /** share of ratios outside the clip */
  readonly clip_fraction: number | null;
  /** of the joint gradient, or of the policy's if the critic's is clipped separately; before clipping */
  readonly gradient_norm: number;
  /** only if the critic's gradient is clipped separately */
  readonly value_gradient_norm?: number;
}

/** Of a minibatch, at the parameters of its gradient. */
export function measured(
  rows: readonly BatchRow[],
  { logProbabilities, valueLoss }: ActorCriticGradient,
  losses: PpoLossSettings,
): Omit<MinibatchMeasures, 'gradient_norm' | 'value_gradient_norm'> {
  let [terms, policyLoss, divergence, outside] = [0, 0, 0, 0];
  rows.forEach(({ own, sampledLogProbabilities, constants }, row) => {
    if (!own) return;
    const isGuarded = isAboveGuard(rows[row]!, logProbabilities[row]!, losses);
    const surrogate = isGuarded ? 'clamped' : 'minimum';
    logProbabilities[row]!.forEach((logProbability, place) => {
      const sampledLogProbability = sampledLogProbabilities[place]!;
      const change = logProbability - sampledLogProbability;
      const given = constants!['advantage']!;
      const advantage = typeof given === 'number' ? given : given[place]!;
      terms++;
      divergence += k3(numbers, change);
      if (Math.exp(change) > 1 + losses.clip.high || Math.exp(change) < 1 - losses.clip.low) outside++;
      const found = { logProbability, sampledLogProbability, advantage };
      policyLoss +=
        losses.policy === 'rlef'
          ? weightedImitation(numbers, found)
          : clippedSurrogate(numbers, found, { clip: losses.clip, surrogate });
    });
  });
  const mean = (sum: number) => (terms > 0 ? sum / terms : null);
  return {
    policy_loss: mean(policyLoss),
    value_loss: losses.valueCoefficient > 0 ? valueLoss / losses.valueCoefficient : null,
    approx_kl: mean(divergence),
    clip_fraction: mean(outside),
  };
}

/** Whether an answer of the policy's own is so much likelier now that the guard applies. */
export function isAboveGuard(
  { own, sampledLogProbabilities }: BatchRow,
  logProbabilities: readonly number[],
  { policy, ratioGuard }: PpoLossSettings,
): boolean {
  if (policy !== 'ppo' || ratioGuard === null || !own) return false;
  return logProbabilities[0]! - sampledLogProbabilities[0]! > Math.log(ratioGuard);
}

/** 1 − Var(R − V) / Var(R): 1 for values equal to the returns, 0 for any constant; null if all returns are equal. */
export function explainedVariance(values: ArrayLike<number>, returns: ArrayLike<number>): number | null {
  const errors = Array.from(returns, (value, place) => value - values[place]!);
  const ofReturns = variance(Array.from(returns));
  return ofReturns > 0 ? 1 - variance(errors) / ofReturns : null;
}

function variance(numbers: readonly number[]): number {
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  return numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / numbers.length;
}

/** Of answers that may cost a penalty, over all steps of an update. */
function penaltyMeasures(readings: readonly Reading<unknown>[]) {
  return {
    /** of answers that were no action and cost a penalty */
    malformed_share: meanOf(readings.map(({ penalty }) => (penalty === undefined ? 0 : 1))),
    mean_penalty: meanOf(readings.map(({ penalty = 0 }) => penalty)),
  };
}

/** Of the steps of an update; penalty measures only if the policy's texts have penalties. */
export function stepMeasures(
  { answers, readings, finished }: Pick<CollectedSteps<unknown>, 'answers' | 'readings' | 'finished'>,
  { penalizes = false }: Pick<StepTexts, 'penalizes'>,
) {
  return {
    /** of each token's distribution, in nats, under the policy that acted */
    entropy: meanOf(answers.flatMap(({ entropies }) => entropies ?? [])),
    /** share of random fallback actions */
    fallback_share: meanOf(readings.map(({ action }) => (action === null ? 1 : 0))),
    ...(penalizes && penaltyMeasures(readings)),
    episodes: finished.length,
    mean_return: meanOf(finished.map((episode) => episode.return)),
    success: meanOf(finished.map((episode) => (isSuccess(episode) ? 1 : 0))),
    mean_steps: meanOf(finished.map(({ steps }) => steps)),
    truncated: finished.filter(({ truncated }) => truncated).length,
  };
}
