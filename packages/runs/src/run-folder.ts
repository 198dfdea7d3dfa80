/** The folder of a new run: its name has time, phase and settings; it appears complete or not at all. */
import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import {
  createFolder,
  discard,
  failpoint,
  isThere,
  syncFolder,
  temporaryBeside,
  whileWriting,
} from '@emac/files';
import { layout } from './layout.ts';
import { configHash } from './run-record.ts';

export interface RunName {
  readonly phase: string;
  /** null without a seed, as in an evaluation */
  readonly seed: number | null;
  readonly config: object;
  readonly time: Date;
}

const attempts = 1000;

/**
 * `<time>-<phase>-s<seed>-<hash>`, without the seed if there is none: UTC to the minute, and four hexadecimal digits of
 * the configuration's hash.
 */
export function runName({ phase, seed, config, time }: RunName): string {
  const minute = time.toISOString().slice(0, 16).replace(':', '');
  const seeded = seed === null ? '' : `-s${seed}`;
  return `${minute}-${phase}${seeded}-${configHash(config).slice(0, 4)}`;
}

/**
 * Creates a run folder inside `out`, with `-2`, `-3` … after a name that is taken; returns its path. `fill` writes into
 * the still hidden folder, and gets its final name.
 */
export function createRunFolder(
  out: string,
  name: string,
  fill: (folder: string, name: string) => void,
): string {
  refuseInsideRun(out);
  createFolder(out);
  const hidden = temporaryBeside(join(out, name));
  try {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const tried = attempt === 1 ? name : `${name}-${attempt}`;
      if (isThere(join(out, tried))) continue;
      whileWriting(join(out, tried), () => mkdirSync(hidden));
      fill(hidden, tried);
      failpoint('run-prepared');
      if (moved(hidden, join(out, tried))) return join(out, tried);
      discard(hidden);
    }
  } catch (thrown) {
    discard(hidden);
    throw thrown;
  }
  throw new EmacError(
    'cannot-create',
    `${join(out, name)}: ${attempts} runs have this name; choose another --out`,
  );
}

/** Errors: `cannot-create` if `out` is a run's folder or lies in one. */
function refuseInsideRun(out: string): void {
  for (let folder = resolve(out); dirname(folder) !== folder; folder = dirname(folder))
    if (isThere(join(folder, layout.run)))
      throw new EmacError(
        'cannot-create',
        `--out ${out}: ${folder} is a run, and a run inside another is lost from sight; give the folder that holds the runs, or resume this one with --resume`,
      );
}

/** Creates missing standard folders: not every copy keeps empty ones. Others are created with their first file. */
export function makeParts(folder: string): void {
  for (const part of [layout.buffers, layout.checkpoints]) createFolder(join(folder, part));
}

/** False if another process has taken the name meanwhile. */
function moved(hidden: string, folder: string): boolean {
  return whileWriting(folder, () => {
    try {
      renameSync(hidden, folder);
      failpoint('run-visible');
      syncFolder(dirname(folder));
      return true;
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === 'EEXIST' || code === 'ENOTEMPTY') return false;
      throw thrown;
    }
  });
}
