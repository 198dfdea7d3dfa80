/**
 * Learning as one call of a program: an environment, a policy, a method, and a folder that keeps the run. The run is the
 * same as the command's. The same call resumes a run that was stopped or killed, and returns a finished one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { canonicalJson, isThere, whileReading, writeFileAtomic } from '@emac/files';
import type { Host, Listener } from '@emac/opening';
import { runsIn, underNamesToday } from '@emac/runs';
import { resume } from '../methods.ts';
import { meantRun, type Learning, type MeantRun } from './asked-learning.ts';
import { learned, type Learned } from './learned.ts';
import { shownHost } from './shown-progress.ts';

/** what the folder's run was asked for */
const askedFile = 'learning.json';

/**
 * Trains and returns the policy; without a host progress is shown on a terminal. Errors: `config` for a folder with a run that was asked for otherwise; `usage`,
 * `missing`, `data` before anything is written; a fault of the run is a `RunError`, and the same call resumes.
 */
export async function learn(asked: Learning, host: Host = shownHost()): Promise<Learned> {
  const { folder } = asked;
  const meant = meantRun(asked);
  requireSame(folder, meant);
  const begun = firstRun(folder);
  const all = { ...host, ...meant.code };
  if (begun === null) await meant.begin({ ...host, listener: noting(host, meant, folder) });
  else await resume(begun, all);
  return learned(lastRun(folder), all);
}

/** The first run of the folder is noted as soon as it is there. */
function noting({ listener }: Host, meant: MeantRun, folder: string): Listener {
  return {
    ...listener,
    run: (run) => {
      noted(folder, meant);
      listener?.run?.(run);
    },
  };
}

/** Errors: `config`. */
function requireSame(folder: string, { identity }: MeantRun): void {
  const path = join(folder, askedFile);
  if (!isThere(path)) return;
  const before = namedToday(whileReading(path, () => readFileSync(path, 'utf8')));
  const now = namedToday(canonicalJson(identity));
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  const differing = [...names].filter((name) => canonicalJson(before[name]) !== canonicalJson(now[name]));
  if (differing.length === 0) return;
  throw new EmacError(
    'config',
    `folder ${folder}: holds a run with another ${differing.join(' and another ')}; give another folder, or the same call`,
  );
}

/** A call may have another name for a setting than the earlier one. */
function namedToday(identity: string): MeantRun['identity'] {
  const { settings, ...others } = JSON.parse(identity) as MeantRun['identity'];
  return { ...others, settings: underNamesToday(settings as object) };
}

function noted(folder: string, { identity }: MeantRun): void {
  writeFileAtomic(join(folder, askedFile), `${canonicalJson(identity, 2)}\n`);
}

/** The run that follows none; null in a new folder. */
function firstRun(folder: string): string | null {
  return runsIn(folder).find(({ record }) => record.previous === undefined)?.folder ?? null;
}

/** The run that none follows. */
function lastRun(folder: string): string {
  const runs = runsIn(folder);
  return runs.find(({ name }) => runs.every(({ record }) => record.previous !== name))!.folder;
}
