/** A 95 % confidence interval of a success rate (Wilson 1927): also valid for few games and for rates of 0 and 1. */
const z = 1.959963984540054; // 97.5 % quantile of the normal distribution

/** [low, high] of `successes` in `trials`; null without trials. */
export function wilsonInterval(successes: number, trials: number): readonly [number, number] | null {
  if (trials === 0) return null;
  const rate = successes / trials;
  const square = (z * z) / trials;
  const centre = (rate + square / 2) / (1 + square);
  const half = (z / (1 + square)) * Math.sqrt((rate * (1 - rate)) / trials + square / (4 * trials));
  // at the ends the exact bound is 0 or 1; rounding would miss it
  return [successes === 0 ? 0 : centre - half, successes === trials ? 1 : centre + half];
}
