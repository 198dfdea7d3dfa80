/** Quantiles with linear interpolation, numpy's default, equal to the last bit. */

/** Of values in ascending order, at least one; 0 ≤ share ≤ 1. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const [low, high] = [sorted[below]!, sorted[Math.min(below + 1, sorted.length - 1)]!];
  const rest = place - below;
  // from the nearer end, so both ends are exact
  return rest < 0.5 ? low + (high - low) * rest : high - (high - low) * (1 - rest);
}
