/** Settings that differ between runs, and runs that differ in the seed alone. */
import { groupBy } from './group-by.ts';
import type { RunView } from './run-view.ts';

type Settings = RunView['settings'];
export type Setting = Settings[string];

/** Settings that differ in at least one run: first those that all have, then the others, each in alphabetical order. Null is as without. */
export function differingSettings(
  runs: readonly Settings[],
): { readonly name: string; readonly values: readonly Setting[] }[] {
  const names = [...new Set(runs.flatMap((each) => Object.keys(each)))].sort();
  const found = names
    .map((name) => ({ name, values: runs.map((each) => each[name] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== values[0]));
  const isShared = ({ values }: (typeof found)[number]) => values.every((value) => value !== null);
  return [...found.filter(isShared), ...found.filter((each) => !isShared(each))];
}

/** Labels of runs; those whose settings differ only in the seed share one, and form one line with a band. */
export function labelsOf(runs: readonly Pick<RunView, 'name' | 'title' | 'settings'>[]): string[] {
  const alike = groupBy(runs.keys(), (place) => comparedBy(runs[place]!));
  return runs.map((run) => {
    const group = alike.get(comparedBy(run))!;
    if (group.length === 1) return labelOf(run);
    const seeds = new Set(group.map((place) => runs[place]!.settings['seed'])).size;
    return `${countOf(group.length, seeds)} of ${labelOf(runs[group[0]!]!)}`;
  });
}

/** The name that a person gave it, then the folder's. */
export function labelOf({ title, name }: Pick<RunView, 'name' | 'title'>): string {
  return title === null ? name : `${title} (${name})`;
}

function countOf(runs: number, seeds: number): string {
  if (seeds === runs) return `${seeds} seeds`;
  return `${runs} runs (${seeds === 1 ? 'one seed' : `${seeds} seeds`})`;
}

/** The settings without the seed; the run's name if it has none. */
function comparedBy({ name, settings }: Pick<RunView, 'name' | 'settings'>): string {
  const own = Object.entries(settings).filter(([key]) => key !== 'seed' && !/^(drawn|given)\./.test(key));
  return own.length === 0 ? name : JSON.stringify(own.sort(([a], [b]) => (a < b ? -1 : 1)));
}
