/** The runs and evaluations below a folder, and when each was last changed. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { layout } from '@emac/runs';

/** Files whose change means new content. */
const telling = [
  layout.run,
  layout.metrics,
  layout.events,
  layout.evaluation,
  'eval-before.json',
  layout.done,
];

/** Names of the folders with a run or an evaluation, newest name first; none if the folder is missing. */
export function runNames(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(
      (name) =>
        !name.startsWith('.') &&
        [layout.run, layout.evaluation].some((file) => existsSync(join(folder, name, file))),
    )
    .sort()
    .reverse();
}

/** Changes with everything that is shown of a run: sizes and times of its files. */
export function stampOf(run: string): string {
  return telling
    .map((name) => statSync(join(run, name), { throwIfNoEntry: false }))
    .map((stat) => (stat ? `${stat.size}:${stat.mtimeMs}` : '-'))
    .join(' ');
}
