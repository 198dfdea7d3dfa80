/** The runs and evaluations below a folder, and when each was last changed. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { layout } from '@emac/runs';

/** Files whose change means that something new is to be seen. */
const telling = [
  layout.run,
  layout.metrics,
  layout.events,
  layout.evaluation,
  'eval-before.json',
  layout.done,
];

/** Names of the folders that hold a run or an evaluation, the newest name first; none where the folder is not there. */
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
