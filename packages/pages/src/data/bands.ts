/** Series of several runs, or of several seeds of one, seen together. */
import { groupBy } from './group-by.ts';
import type { Series } from './series.ts';

/** What x counts: updates (or lines of a kind), steps in the environment, or seconds of work. */
export type Axis = 'updates' | 'steps' | 'time';

/** At each place the mean of the runs that have a value there, between the lowest and the highest. */
export interface Band {
  readonly x: readonly number[];
  readonly mean: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
  /** runs with a value at each place */
  readonly runs: readonly number[];
}

/** Joins series of equal name; several points of a run at one x count as their mean. A series without steps or times is left out on their axis. */
export function bandOf(series: readonly Series[], axis: Axis = 'updates'): Band {
  const [only] = series.length === 1 ? series : [];
  if (only) return bandOfOne(only, axis);
  if (axis === 'time') return bandOfTimes(series);
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

/** places at which runs are read off whose lines stand at times of their own */
const grid = 200;

/** Between its first and its last time a run has a value at every place, on the line from one point to the next. */
function bandOfTimes(series: readonly Series[]): Band {
  const curves = series.map((one) => bandOfOne(one, 'time')).filter(({ x }) => x.length > 0);
  const [first, last] = [extreme(curves, 0, Math.min), extreme(curves, -1, Math.max)];
  const x =
    curves.length === 0
      ? []
      : Array.from({ length: grid }, (_, at) => first + ((last - first) * at) / (grid - 1));
  const at = x.map((place) => ({ place, values: curves.flatMap((curve) => valueAt(curve, place) ?? []) }));
  const there = at.filter(({ values }) => values.length > 0);
  return {
    x: there.map(({ place }) => place),
    mean: there.map(({ values }) => values.reduce((sum, value) => sum + value, 0) / values.length),
    low: there.map(({ values }) => Math.min(...values)),
    high: there.map(({ values }) => Math.max(...values)),
    runs: there.map(({ values }) => values.length),
  };
}

const extreme = (curves: readonly Band[], place: 0 | -1, of: (...values: number[]) => number) =>
  of(...curves.map(({ x }) => x.at(place)!));

/** Null outside of its times. */
function valueAt({ x, mean }: Band, place: number): number | null {
  const after = x.findIndex((each) => each >= place);
  if (after < 0 || (after === 0 && x[0]! > place)) return null;
  if (after === 0) return mean[0]!;
  const share = (place - x[after - 1]!) / (x[after]! - x[after - 1]!);
  return mean[after - 1]! + share * (mean[after]! - mean[after - 1]!);
}

const placesOf = ({ x, steps, seconds }: Series, axis: Axis): readonly number[] =>
  ({ updates: x, steps: steps ?? [], time: seconds ?? [] })[axis];

function meanByX(series: Series, axis: Axis): Map<number, number> {
  const sums = new Map<number, { sum: number; count: number }>();
  const { y } = series;
  for (const [index, place] of placesOf(series, axis).entries()) {
    const { sum, count } = sums.get(place) ?? { sum: 0, count: 0 };
    sums.set(place, { sum: sum + y[index]!, count: count + 1 });
  }
  return new Map([...sums].map(([place, { sum, count }]) => [place, sum / count]));
}
