/**
 * Advantages of attempts within their group: each reward is compared with the rewards of attempts that began alike.
 * They need no value function. To add an estimator, write a function and list it here.
 */
import { EmacError } from '@emac/core';

/**
 * The divisor of `group`: the deviation of each group, of the whole batch (REINFORCE++), or none (Dr. GRPO, arXiv
 * 2503.20783).
 */
export type AdvantageScale = 'group' | 'batch' | 'none';

/** Groups of rewards with their deviations. */
interface Rewarded {
  readonly groups: readonly (readonly number[])[];
  /** of each group, unbiased */
  readonly deviations: readonly number[];
  readonly scale: AdvantageScale;
}

/** The advantage of every attempt of a group, from the rewards of all groups. */
type Estimator = (rewarded: Rewarded, group: number) => readonly number[];

/**
 * GRPO (Shao et al., arXiv 2402.03300, section 4.1.2): the reward less the group's mean, over the standard deviation
 * plus 1e-4, as TRL has it. The deviation is unbiased, with n − 1 (PyTorch's `std`), as in TRL and its descendants; the
 * paper leaves this open.
 */
const group: Estimator = ({ groups, deviations, scale }, which) => {
  const rewards = groups[which]!;
  const mean = average(rewards);
  const spread = scale === 'group' ? deviations[which]! : deviation(groups.flat());
  const divisor = scale === 'none' ? 1 : spread + deviationOffset;
  return rewards.map((reward) => (reward - mean) / divisor);
};

/**
 * RLOO (Ahmadian et al., arXiv 2402.14740, section 4): the reward less the mean of the others' rewards, an unbiased
 * baseline. Ignores the scale.
 */
const leaveOneOut: Estimator = ({ groups }, which) => {
  const rewards = groups[which]!;
  const total = rewards.reduce((sum, reward) => sum + reward, 0);
  return rewards.map((reward) => reward - (total - reward) / (rewards.length - 1));
};

/**
 * REINFORCE++ (Hu et al., arXiv 2501.03262): the reward less the mean of the whole batch, over the batch's
 * deviation unless the scale is `none`. A group of equal rewards teaches as well, and a group may be a single attempt.
 */
const batch: Estimator = ({ groups, scale }, which) => {
  const all = groups.flat();
  const spread = deviation(all);
  const mean = average(all);
  const divisor = scale === 'none' ? 1 : spread + deviationOffset;
  return groups[which]!.map((reward) => (spread === 0 ? 0 : (reward - mean) / divisor));
};

export const advantageEstimators = {
  group,
  'leave-one-out': leaveOneOut,
  batch,
} satisfies Record<string, Estimator>;

export type AdvantageEstimator = keyof typeof advantageEstimators;

export interface GroupAdvantageOptions {
  readonly groupSize: number;
  readonly scale: AdvantageScale;
  /** default `group` */
  readonly advantages?: AdvantageEstimator | undefined;
}

export interface GroupAdvantages {
  /** in the order of the rewards */
  readonly advantages: Float64Array;
  /** mean over groups of the deviation inside each, unbiased; null for groups of one */
  readonly meanDeviation: number | null;
  /** share of groups with equal rewards (TRL's `frac_reward_zero_std`); null for groups of one */
  readonly zeroDeviationShare: number | null;
}

/** The smallest group that an estimator can compare. */
export function leastGroup(estimator: AdvantageEstimator): number {
  return estimator === 'batch' ? 1 : 2;
}

/** Added to the deviation. */
export const deviationOffset = 1e-4;

/**
 * Rewards of groups one after another, each of `groupSize` attempts. A group of equal rewards has advantages of exactly
 * 0, unless it is compared with the batch. Errors: `internal` unless the rewards form whole groups of two or more, or of one with `batch`;
 * `data` for a reward that is not finite.
 */
export function groupAdvantages(
  rewards: readonly number[],
  { groupSize, scale, advantages: estimator = 'group' }: GroupAdvantageOptions,
): GroupAdvantages {
  const { length } = rewards;
  const least = leastGroup(estimator);
  if (!Number.isSafeInteger(groupSize) || groupSize < least || length === 0 || length % groupSize !== 0)
    throw new EmacError(
      'internal',
      `groupAdvantages: needs whole groups of ${least === 1 ? 'one' : 'two'} or more, got ${length} rewards in groups of ${groupSize}`,
    );
  const odd = rewards.findIndex((reward) => !Number.isFinite(reward));
  if (odd >= 0)
    throw new EmacError('data', `groupAdvantages: rewards must be finite, got ${rewards[odd]} at ${odd}`);
  const groups = Array.from({ length: length / groupSize }, (_, which) =>
    rewards.slice(which * groupSize, (which + 1) * groupSize),
  );
  const deviations = groups.map(deviation);
  const estimate = advantageEstimators[estimator];
  const advantages = groups.flatMap((own, which) =>
    deviations[which] === 0 && estimate !== batch
      ? own.map(() => 0)
      : estimate({ groups, deviations, scale }, which),
  );
  return {
    advantages: Float64Array.from(advantages),
    meanDeviation: groupSize === 1 ? null : average(deviations),
    zeroDeviationShare:
      groupSize === 1 ? null : deviations.filter((each) => each === 0).length / groups.length,
  };
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Unbiased; exactly 0 for equal values, even if their mean is rounded. */
function deviation(values: readonly number[]): number {
  if (values.every((value) => value === values[0])) return 0;
  const mean = average(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}
