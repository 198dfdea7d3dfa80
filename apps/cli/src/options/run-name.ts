/** Short names of runs: `latest` (of an environment, if one is given), the name given by --run-name, or the beginning of a folder's name among the runs. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { nearestCommand } from '@emac/postprocess';
import { runsIn, type ListedRun } from '@emac/runs';
import { isEnvironmentModule, shippedModels, usualEnvironment } from '@emac/settings';
import { recordedIn } from '../run-notes/resume-command.ts';

/** Default folder of runs. */
export const usualFolder = 'runs';

/** Special words that are never names of runs. */
const words = new Set(['model', 'random', ...shippedModels]);

interface NamedAmong {
  readonly folder?: string;
  /** the environment that `latest` is about */
  readonly env?: string | null | undefined;
}

/**
 * The path of the named run. Existing paths, special words and unknown names stay as they are. `@best` and the like are kept. Errors: `usage` for the
 * beginning of several names; `missing` without a run of the environment.
 */
export function runNamed(name: string, { env, folder = usualFolder }: NamedAmong = {}): string {
  const [, run, at = ''] = /^(.*?)(@(?:best|latest|\d+))?$/s.exec(name)!;
  if (words.has(name) || existsSync(name) || existsSync(run!)) return name;
  const all = runsIn(folder);
  const runs = all.map((each) => each.name);
  if (run === 'latest') {
    const latest = env == null ? all[0] : all.find((each) => isInEnvironment(each, env));
    if (latest) return latest.folder + at;
    if (all.length === 0) return name;
    throw new EmacError('missing', `${name}: no run in ${folder} is of ${env}; emac runs lists them`);
  }
  const titled = all.find(({ record }) => record.title === run);
  if (titled) return titled.folder + at;
  const found = runs.filter((each) => each.startsWith(run!));
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

/** Whether the run was made in the environment that was typed: the version may be omitted, and a file has many paths. */
export function isInEnvironment({ folder, record }: ListedRun, typed: string): boolean {
  const { env = usualEnvironment } = recordedIn(folder);
  if (env === typed || env.replace(/-v\d+$/, '') === typed) return true;
  return isEnvironmentModule(env) && resolve(record.workingDirectory, env) === resolve(typed);
}
