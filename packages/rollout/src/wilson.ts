/** A 95 % confidence interval of a success rate (Wilson 1927): also valid for few games and for rates of 0 and 1. */

/** 97.5 % quantile of the normal distribution: half the width of a 95 % interval in standard errors. */
export const z95 = 1.959963984540054;

/** [low, high] of `successes` in `trials`; null without trials. */
export function wilsonInterval(successes: number, trials: number): readonly [number, number] | null {
  if (trials === 0) return null;
  const rate = successes / trials;
  const square = (z95 * z95) / trials;
  const centre = (rate + square / 2) / (1 + square);
  const half = (z95 / (1 + square)) * Math.sqrt((rate * (1 - rate)) / trials + square / (4 * trials));
  // at the ends the exact bound is 0 or 1; rounding would miss it
  return [successes === 0 ? 0 : centre - half, successes === trials ? 1 : centre + half];
}

/**
 * [low, high] of a mean of rates, one per task, each from `trials` attempts at its task; null without tasks. Attempts
 * at one task resemble each other, so they count as the number of independent attempts that would have the same
 * variance between tasks, at least one a task (Wilson's interval at the effective sample size; Kish 1965).
 */
export function rateInterval(rates: readonly number[], trials: number): readonly [number, number] | null {
  const { length } = rates;
  if (length === 0) return null;
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / length;
  const squares = rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0);
  const variance = squares / (length - 1) / length;
  // one task, or rates of 0 or 1 alone, say nothing about the spread between tasks
  const isSpreadKnown = length > 1 && mean > 0 && mean < 1;
  const independent = isSpreadKnown ? (mean * (1 - mean)) / variance : length;
  const effective = Math.min(Math.max(independent, length), length * trials);
  return wilsonInterval(mean * effective, effective);
}
