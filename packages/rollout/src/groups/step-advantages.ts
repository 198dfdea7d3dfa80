/**
 * Advantages of single steps within a group of attempts that began alike. Steps of different attempts that were taken
 * from the same state, the anchor, are compared by their discounted returns. They need no value function.
 */
import { EmacError } from '@emac/core';

/** A step of an attempt. */
export interface AnchoredStep {
  /** what the environment showed before the step; equal anchors are equal states */
  readonly anchor: string;
  readonly reward: number;
}

/** The steps of one attempt, in order. */
export type AnchoredAttempt = readonly AnchoredStep[];

/** What a compared return is divided by: the standard deviation among those it is compared with, or nothing. */
export type StepScale = 'group' | 'none';

export interface StepAdvantageOptions {
  /** γ, from 0 to 1 */
  readonly discount: number;
  readonly scale: StepScale;
}

export interface HistoryAdvantageOptions extends StepAdvantageOptions {
  /** K: a context is the anchor of a step and up to K anchors before it */
  readonly history: number;
  /** α: a context of k anchors, the step's own included, weighs (k + 1)^α */
  readonly exponent: number;
}

/** Added to deviations and to sums of weights, as the published recipes have it. */
const offset = 1e-6;

/** R_t = Σ γ^(k − t) r_k, the discounted return from each step on. */
export function discountedReturns(attempt: AnchoredAttempt, discount: number): number[] {
  const returns = Array<number>(attempt.length).fill(0);
  let following = 0;
  for (let step = attempt.length - 1; step >= 0; step--)
    following = returns[step] = attempt[step]!.reward + discount * following;
  return returns;
}

/**
 * The step part of GiGPO (arXiv 2505.10978, equations 6 to 8): the discounted return less the mean of all returns from
 * the same anchor in the group; the deviation, where it divides, has n − 1. A state that one step alone passed gives 0.
 * Every visit counts, so an attempt that returns to a state is compared with itself. Returns one list for each attempt,
 * one number for each step. Errors: `data` for a reward that is not finite.
 */
export function anchorAdvantages(
  group: readonly AnchoredAttempt[],
  { discount, scale }: StepAdvantageOptions,
): number[][] {
  return compared(group, { discount, scale, lost: 1, keyOf: (attempt, step) => attempt[step]!.anchor });
}

/**
 * HGPO (arXiv 2602.22817): a step is compared with the steps that share its last k anchors, for k = 1 … K + 1. The
 * advantages A_k are averaged with weights (k + 1)^α; longer contexts weigh more. Contexts that no other step shares,
 * and those whose A_k is exactly 0, are left out of the average, as in the published code; a step without any gives 0.
 * A departure of the code that stays: the deviation, where it divides, has n. Shape and errors as `anchorAdvantages`.
 */
export function historyAdvantages(
  group: readonly AnchoredAttempt[],
  { history, exponent, discount, scale }: HistoryAdvantageOptions,
): number[][] {
  const lengths = Array.from({ length: history + 1 }, (_, index) => index + 1);
  const byLength = lengths.map((length) =>
    compared(group, { discount, scale, lost: 0, keyOf: (attempt, step) => contextOf(attempt, step, length) }),
  );
  return group.map((attempt, which) =>
    attempt.map((_, step) => {
      let [sum, weights] = [0, 0];
      lengths.forEach((length, index) => {
        const advantage = byLength[index]![which]![step]!;
        if (advantage === 0) return;
        const weight = (length + 1) ** exponent;
        sum += weight * advantage;
        weights += weight;
      });
      return sum / (weights + offset);
    }),
  );
}

/** The last anchors up to a step as one key; null where the attempt is shorter. */
function contextOf(attempt: AnchoredAttempt, step: number, length: number): string | null {
  if (step + 1 < length) return null;
  return JSON.stringify(attempt.slice(step + 1 - length, step + 1).map(({ anchor }) => anchor));
}

interface Comparison extends StepAdvantageOptions {
  /** degrees of freedom that the deviation loses: 1 for n − 1 */
  readonly lost: 0 | 1;
  /** steps with equal keys are compared; null: with none */
  keyOf(attempt: AnchoredAttempt, step: number): string | null;
}

function compared(
  group: readonly AnchoredAttempt[],
  { discount, scale, lost, keyOf }: Comparison,
): number[][] {
  requireFinite(group);
  const places = new Map<string, (readonly [attempt: number, step: number])[]>();
  group.forEach((attempt, which) =>
    attempt.forEach((_, step) => {
      const key = keyOf(attempt, step);
      if (key === null) return;
      const same = places.get(key);
      if (same) same.push([which, step]);
      else places.set(key, [[which, step]]);
    }),
  );
  const returns = group.map((attempt) => discountedReturns(attempt, discount));
  const advantages = group.map((attempt) => Array<number>(attempt.length).fill(0));
  for (const same of places.values()) {
    if (same.length < 2) continue;
    const values = same.map(([attempt, step]) => returns[attempt]![step]!);
    const found = standardized(values, { scale, lost });
    same.forEach(([attempt, step], index) => (advantages[attempt]![step] = found[index]!));
  }
  return advantages;
}

/** Values less their mean, over their deviation plus 1e-6 if asked; equal values give exactly 0. */
export function standardized(
  values: readonly number[],
  { scale, lost }: Pick<Comparison, 'scale' | 'lost'>,
): number[] {
  if (values.every((value) => value === values[0])) return values.map(() => 0);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const divisor = scale === 'none' ? 1 : Math.sqrt(squares / (values.length - lost)) + offset;
  return values.map((value) => (value - mean) / divisor);
}

function requireFinite(group: readonly AnchoredAttempt[]): void {
  group.forEach((attempt, which) =>
    attempt.forEach(({ reward }, step) => {
      if (!Number.isFinite(reward))
        throw new EmacError(
          'data',
          `step advantages: rewards must be finite, got ${reward} at step ${step} of attempt ${which}`,
        );
    }),
  );
}
