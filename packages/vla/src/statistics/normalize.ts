/** Maps actions between a robot's numbers and a model's [−1, 1], by quantiles 0.01 and 0.99 of a data set. */
import { EmacError } from '@emac/core';
import type { ActionStatistics } from './dataset-statistics.ts';

/**
 * For training: clip(2 (x − q01) / (q99 − q01 + 1e-8) − 1, −1, 1) where the mask is true, x elsewhere, and 0 in constant dimensions.
 * Errors: `data` for another number of dimensions.
 */
export function normalizeAction(action: readonly number[], statistics: ActionStatistics): number[] {
  requireDimensions(action, statistics);
  const { q01, q99, min, max, mask } = statistics;
  return action.map((value, place) => {
    if (min[place] === max[place]) return 0;
    if (mask?.[place] === false) return value;
    const [low, high] = [q01[place]!, q99[place]!];
    return Math.min(Math.max((2 * (value - low)) / (high - low + 1e-8) - 1, -1), 1);
  });
}

/** For acting: ½ (a + 1) (q99 − q01) + q01 where the mask is true, a elsewhere. Errors: `data` for another number of dimensions. */
export function unnormalizeAction(action: readonly number[], statistics: ActionStatistics): number[] {
  requireDimensions(action, statistics);
  const { q01, q99, mask } = statistics;
  return action.map((value, place) => {
    if (mask?.[place] === false) return value;
    const [low, high] = [q01[place]!, q99[place]!];
    return 0.5 * (value + 1) * (high - low) + low;
  });
}

function requireDimensions(action: readonly number[], { q01 }: ActionStatistics): void {
  if (action.length !== q01.length)
    throw new EmacError(
      'data',
      `action: has ${action.length} numbers, the statistics ${q01.length}; they are of another data set`,
    );
}
