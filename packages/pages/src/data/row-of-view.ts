/** A run's line in the list, from what is shown of it. */
import type { RunRow } from './run-row.ts';
import type { RunView } from './run-view.ts';

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

/** Shares of tasks solved: in held-out tasks, else in those trained on, and while it trained. */
export function successOf({
  evaluations,
  series,
}: Pick<RunView, 'evaluations' | 'series'>): RunRow['success'] {
  const of = (...names: readonly string[]) => {
    const result = evaluations.find(({ name }) => names.includes(name))?.result;
    return result?.success ?? result?.seen.success ?? null;
  };
  const training = trainingSuccess(series)?.y ?? [];
  return {
    before: of('before'),
    after: of('after', 'result'),
    last: training.at(-1) ?? null,
    best: highest(training),
  };
}

/** The series of success while a run trains; null if it has none. */
export function trainingSuccess(series: RunView['series']): RunView['series'][number] | null {
  return series.find(({ name, y }) => / success$/.test(name) && y.length > 0) ?? null;
}

const longest = (lists: readonly (readonly unknown[])[]) =>
  lists.reduce((most, { length }) => Math.max(most, length), 0);
const extreme = (values: readonly number[], of: (a: number, b: number) => number) =>
  values.length === 0 ? null : values.reduce((a, b) => of(a, b));
const highest = (values: readonly number[]) => extreme(values, Math.max);
const lowest = (values: readonly number[]) => extreme(values, Math.min);
