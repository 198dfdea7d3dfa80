/** Series of several runs, or of several seeds of one, seen together. */
import { groupBy } from './group-by.ts';
import type { Series } from './series.ts';

/** What x counts: updates (or lines of a kind), or steps in the environment. */
export type Axis = 'updates' | 'steps';

/** At each place the mean of the runs that have a value there, between the lowest and the highest. */
export interface Band {
  readonly x: readonly number[];
  readonly mean: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
  /** runs with a value at each place */
  readonly runs: readonly number[];
}

/** Joins series of equal name; several points of a run at one x count as their mean. A series without steps is left out on their axis. */
export function bandOf(series: readonly Series[], axis: Axis = 'updates'): Band {
  const [only] = series.length === 1 ? series : [];
  if (only) return bandOfOne(only, axis);
  const byPlace = groupBy(
    series.flatMap((one) => [...meanByX(one, axis)]),
    ([x]) => x,
  );
  const x = [...byPlace.keys()].sort((a, b) => a - b);
  const at = x.map((place) => byPlace.get(place)!.map(([, y]) => y));
  return {
    x,
    mean: at.map((values) => values.reduce((sum, value) => sum + value, 0) / values.length),
    low: at.map((values) => Math.min(...values)),
    high: at.map((values) => Math.max(...values)),
    runs: at.map((values) => values.length),
  };
}

/** As above, without groups: a run has thousands of points. */
function bandOfOne(series: Series, axis: Axis): Band {
  const points = [...meanByX(series, axis)].sort(([a], [b]) => a - b);
  const [x, mean] = [points.map(([place]) => place), points.map(([, y]) => y)];
  return { x, mean, low: mean, high: mean, runs: x.map(() => 1) };
}

function meanByX({ x, y, steps }: Series, axis: Axis): Map<number, number> {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const [index, place] of (axis === 'steps' ? (steps ?? []) : x).entries()) {
    const { sum, count } = sums.get(place) ?? { sum: 0, count: 0 };
    sums.set(place, { sum: sum + y[index]!, count: count + 1 });
  }
  return new Map([...sums].map(([place, { sum, count }]) => [place, sum / count]));
}
