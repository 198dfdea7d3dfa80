/** A run's line in the list, from what is shown of it. */
import type { RunRow } from './run-row.ts';
import type { RunView } from './run-view.ts';
import { evaluatedSuccess, ratesOf, trainingSuccess, type Success } from './success.ts';

export function rowOfView(view: RunView): RunRow {
  const { name, title, method, environment, policy, state, started, seconds, changed, settings } = view;
  const shared = { name, title, method, environment, policy, state, started, seconds, changed, settings };
  const { series } = view;
  return {
    ...shared,
    kind: state === null ? 'evaluation' : 'run',
    parent: null,
    note: view.note,
    isStarred: false,
    updates: longest(series.filter(({ name: own }) => own.startsWith('update ')).map(({ y }) => y)),
    environmentSteps: highest(series.flatMap(({ steps }) => steps?.at(-1) ?? [])),
    success: successOf(view),
    metrics: Object.fromEntries(
      series
        .filter(({ y }) => y.length > 0)
        .map(({ name: own, y }) => [own, { last: y.at(-1)!, low: lowest(y)!, high: highest(y)! }]),
    ),
  };
}

/** Shares of tasks solved: by evaluations, and while it trained. */
export function successOf({
  evaluations,
  series,
}: Pick<RunView, 'evaluations' | 'series'>): RunRow['success'] {
  const of = (...names: readonly string[]) => {
    const result = evaluations.find(({ name }) => names.includes(name))?.result;
    return result ? ratesOf(result) : null;
  };
  const curve = series.find(({ name, y }) => / success$/.test(name) && y.length > 0)?.y ?? [];
  return {
    evaluated: evaluatedSuccess(of('before'), of('after', 'result')),
    curve: spaced(curve),
    last: curve.at(-1) ?? null,
    best: highest(curve),
  };
}

/** The success that counts: by evaluations, else while it trained; null without any. */
export function countedSuccess({ evaluated, curve }: RunRow['success']): Success | null {
  return evaluated ?? trainingSuccess(curve);
}

/** points of a row's curve */
export const mostOfCurve = 64;

/** The first, the last, and evenly spaced ones between. */
function spaced(values: readonly number[]): readonly number[] {
  if (values.length <= mostOfCurve) return values;
  const step = (values.length - 1) / (mostOfCurve - 1);
  return Array.from({ length: mostOfCurve }, (_, place) => values[Math.round(place * step)]!);
}

const longest = (lists: readonly (readonly unknown[])[]) =>
  lists.reduce((most, { length }) => Math.max(most, length), 0);
const extreme = (values: readonly number[], of: (a: number, b: number) => number) =>
  values.length === 0 ? null : values.reduce((a, b) => of(a, b));
const highest = (values: readonly number[]) => extreme(values, Math.max);
const lowest = (values: readonly number[]) => extreme(values, Math.min);
