/** The metrics of GRPO updates. */
import type { Gradient } from '@emac/core';
import { k3, numbers } from '@emac/losses';
import { meanOf } from '../means.ts';
import type { PlayedAttempt } from './attempts.ts';
import type { GrpoBatch, WeightedRow } from './batch.ts';
import type { GrpoLossSettings } from './grpo-settings.ts';

export interface StepMeasures {
  readonly loss: number;
  /** estimate k3 of KL(π ‖ reference), in nats, mean over tokens; null without a reference */
  readonly kl: number | null;
  /** the same between the current policy and the answering one, with a ratio per answer of its mean log-ratio: 0 in an update's first step */
  readonly approx_kl: number;
  /** share of tokens, or answers, with a clipped ratio in the loss; 0 without clipping */
  readonly clip_fraction: number;
  /** of the joint gradient, before clipping */
  readonly gradient_norm: number;
}

/** Of a minibatch, at the parameters of its gradient. */
export function lossMeasures(
  rows: readonly WeightedRow[],
  { loss, logProbabilities }: Pick<Gradient, 'loss' | 'logProbabilities'>,
  { clip }: Pick<GrpoLossSettings, 'clip'>,
): Omit<StepMeasures, 'gradient_norm'> {
  let [tokens, divergence, change, clipped] = [0, 0, 0, 0];
  rows.forEach(({ constants }, row) => {
    const { advantage, sampledLogProbability, referenceLogProbability } = constants;
    const sampled = [sampledLogProbability].flat();
    logProbabilities[row]!.forEach((now, token) => {
      const moved = now - sampled[token]!;
      tokens++;
      change += k3(numbers, moved);
      if (referenceLogProbability) divergence += k3(numbers, referenceLogProbability[token]! - now);
      if (!clip) return;
      const ratio = Math.exp(moved);
      if (advantage > 0 ? ratio > 1 + clip.high : advantage < 0 && ratio < 1 - clip.low) clipped++;
    });
  });
  return {
    loss,
    kl: rows[0]!.constants.referenceLogProbability ? divergence / tokens : null,
    approx_kl: change / tokens,
    clip_fraction: clipped / tokens,
  };
}

/** Of the attempts of an update, their answers and their rewards. */
export function attemptMeasures({
  groups: { attempts },
  meanDeviation,
  zeroDeviationShare,
}: Pick<GrpoBatch, 'groups' | 'meanDeviation' | 'zeroDeviationShare'>) {
  const answers = attempts.flatMap(({ steps }) => steps.map(({ answer }) => answer));
  const lengths = answers.map(({ tokens }) => tokens.length);
  const names = Object.keys(attempts[0]!.rewards);
  const entropies = answers.flatMap((answer) => answer.entropies ?? []);
  return {
    reward: meanOf(attempts.map(({ reward }) => reward)),
    /** mean over groups of the unbiased deviation inside each */
    reward_std: meanDeviation,
    /** share of groups of equal rewards */
    frac_reward_zero_std: zeroDeviationShare,
    ...Object.fromEntries(
      names.map((name) => [`reward_${name}`, meanOf(attempts.map(({ rewards }) => rewards[name]!))] as const),
    ),
    /** tokens, end token included */
    completion_length: meanOf(lengths),
    completion_length_max: Math.max(...lengths),
    /** of each token's distribution, in nats, under the policy that drew it */
    entropy: meanOf(entropies),
  };
}

/** Share of attempts that reached their goal. */
export function successOf(attempts: readonly PlayedAttempt[]): number | null {
  return meanOf(attempts.map(({ trajectory }) => (trajectory.won ? 1 : 0)));
}

/** Of the attempts' episodes; `answers` counts those of the run so far. */
export function playedMeasures(attempts: readonly PlayedAttempt[], answers: number) {
  const steps = attempts.flatMap(({ trajectory }) => trajectory.steps);
  return {
    /** of the run so far: every step asks for one answer */
    environment_steps: answers,
    mean_return: meanOf(attempts.map((attempt) => attempt.return)),
    success: successOf(attempts),
    mean_steps: steps.length / attempts.length,
    /** share of answers that named no action */
    no_action_share: steps.filter(({ own }) => own === null).length / steps.length,
  };
}
