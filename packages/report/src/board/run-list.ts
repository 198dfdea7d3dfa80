/** The runs and evaluations below a folder. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { layout } from '@emac/runs';

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
