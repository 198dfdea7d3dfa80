/** Short names of runs: `latest`, or the beginning of a name in the folder of runs. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { nearestCommand } from '@emac/postprocess';
import { layout, readRecord } from '@emac/runs';
import { shippedModels } from '@emac/settings';

/** Default folder of runs. */
const usualFolder = 'runs';

/** Special words that are never names of runs. */
const words = new Set(['model', 'random', ...shippedModels]);

/**
 * The path of the named run. Existing paths, special words and unknown names stay as they are. `@best` and the like are kept. Errors: `usage` for the
 * beginning of several names.
 */
export function runNamed(name: string, folder = usualFolder): string {
  const [, run, at = ''] = /^(.*?)(@(?:best|latest|\d+))?$/s.exec(name)!;
  if (words.has(name) || existsSync(name) || existsSync(run!)) return name;
  const runs = runsIn(folder);
  const found = run === 'latest' ? runs.slice(-1) : runs.filter((each) => each.startsWith(run!));
  if (found.length > 1)
    throw new EmacError(
      'usage',
      `${name}: ${found.length} runs in ${folder} begin like this (${found.slice(0, 3).join(', ')}…); give more of the name`,
    );
  const [only] = found;
  if (only !== undefined) return join(folder, only) + at;
  const near = nearestCommand(run!, runs, 4)?.command;
  if (near !== undefined)
    throw new EmacError('missing', `${name}: does not exist; did you mean ${join(folder, near)}?`);
  return name;
}

/** Ordered by start time; runs without a readable record are left out. */
function runsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.') && existsSync(join(folder, name, layout.run)))
    .map((name) => [name, startOf(join(folder, name))] as const)
    .sort(([one, first], [other, second]) => first - second || (one < other ? -1 : 1))
    .map(([name]) => name);
}

function startOf(run: string): number {
  try {
    return Date.parse(readRecord(run).started);
  } catch {
    return 0;
  }
}
