/** Series of several runs, or of several seeds of one, seen together. */
import { groupBy } from './group-by.ts';
import type { Series } from './series.ts';

/** At each place the mean of the runs that have a value there, between the lowest and the highest. */
export interface Band {
  readonly x: readonly number[];
  readonly mean: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
  /** runs with a value at each place */
  readonly runs: readonly number[];
}

/** Joins series of equal name; several points of a run at one x count as their mean. */
export function bandOf(series: readonly Series[]): Band {
  const [only] = series.length === 1 ? series : [];
  if (only) return bandOfOne(only);
  const byPlace = groupBy(
    series.flatMap((one) => [...meanByX(one)]),
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
function bandOfOne(series: Series): Band {
  const points = [...meanByX(series)].sort(([a], [b]) => a - b);
  const [x, mean] = [points.map(([place]) => place), points.map(([, y]) => y)];
  return { x, mean, low: mean, high: mean, runs: x.map(() => 1) };
}

function meanByX({ points }: Series): Map<number, number> {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const { x, y } of points) {
    const { sum, count } = sums.get(x) ?? { sum: 0, count: 0 };
    sums.set(x, { sum: sum + y, count: count + 1 });
  }
  return new Map([...sums].map(([x, { sum, count }]) => [x, sum / count]));
}
