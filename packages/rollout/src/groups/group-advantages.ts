/**
 * Advantages of answers within their group (GRPO; Shao et al., arXiv 2402.03300, section 4.1.2): the reward less the mean of the
 * answers to the same prompt, over their standard deviation plus 1e-4, as TRL has it. The deviation is the unbiased one, with n − 1
 * (PyTorch's `std`), as in TRL and in what builds on it; the paper does not say which. No network of values is needed.
 */
import { EmacError } from '@emac/core';

/** What the deviation is taken of: each group, all answers of the batch (as REINFORCE++ does), or nothing (Dr. GRPO, arXiv 2503.20783). */
export type AdvantageScale = 'group' | 'batch' | 'none';

export interface GroupAdvantages {
  /** in the order of the rewards */
  readonly advantages: Float64Array;
  /** mean over groups of the deviation inside each, unbiased */
  readonly meanDeviation: number;
  /** share of groups whose rewards are all equal: nothing is learned from them (TRL's `frac_reward_zero_std`) */
  readonly zeroDeviationShare: number;
}

/** Added to the deviation. */
export const deviationOffset = 1e-4;

/**
 * Rewards of groups one after another, each of `groupSize` answers to one prompt. A group of equal rewards has advantages of exactly 0. Errors:
 * `internal` where there is no whole number of groups of two or more, `data` for a reward that is not finite.
 */
export function groupAdvantages(
  rewards: readonly number[],
  { groupSize, scale }: { readonly groupSize: number; readonly scale: AdvantageScale },
): GroupAdvantages {
  const { length } = rewards;
  if (!Number.isSafeInteger(groupSize) || groupSize < 2 || length === 0 || length % groupSize !== 0)
    throw new EmacError(
      'internal',
      `groupAdvantages: needs whole groups of two or more, got ${length} rewards in groups of ${groupSize}`,
    );
  const odd = rewards.findIndex((reward) => !Number.isFinite(reward));
  if (odd >= 0)
    throw new EmacError('data', `groupAdvantages: rewards must be finite, got ${rewards[odd]} at ${odd}`);
  const groups = Array.from({ length: length / groupSize }, (_, group) =>
    rewards.slice(group * groupSize, (group + 1) * groupSize),
  );
  const deviations = groups.map(deviation);
  const ofBatch = deviation(rewards);
  const advantages = groups.flatMap((group, place) => {
    const mean = average(group);
    const spread = scale === 'group' ? deviations[place]! : ofBatch;
    const divisor = scale === 'none' ? 1 : spread + deviationOffset;
    return group.map((reward) => (deviations[place] === 0 ? 0 : (reward - mean) / divisor));
  });
  return {
    advantages: Float64Array.from(advantages),
    meanDeviation: average(deviations),
    zeroDeviationShare: deviations.filter((each) => each === 0).length / groups.length,
  };
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Unbiased; exactly 0 where all are equal, whatever their mean is rounded to. */
function deviation(values: readonly number[]): number {
  if (values.every((value) => value === values[0])) return 0;
  const mean = average(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}
