/** The folder of a new run: a name that tells when, what and with which settings, made without overwriting. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { canonicalJson, sha256, whileWriting } from '@emac/files';
import { createFolder } from './create-folder.ts';

export interface RunName {
  readonly phase: string;
  readonly seed: number;
  readonly config: object;
  readonly time: Date;
}

const attempts = 1000;

/** `<time>-<phase>-s<seed>-<hash>`: UTC to the minute, and four hexadecimal digits of the configuration's hash. */
export function runName({ phase, seed, config, time }: RunName): string {
  const minute = time.toISOString().slice(0, 16).replace(':', '');
  return `${minute}-${phase}-s${seed}-${sha256(canonicalJson(config)).slice(0, 4)}`;
}

/** Makes a folder for a run inside `out`, with `-2`, `-3` … behind a name that is taken; returns its path. */
export function createRunFolder(out: string, name: string): string {
  createFolder(out);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const folder = join(out, attempt === 1 ? name : `${name}-${attempt}`);
    if (made(folder)) return folder;
  }
  throw new EmacError(
    'cannot-create',
    `${join(out, name)}: ${attempts} runs have this name; choose another --out`,
  );
}

function made(folder: string): boolean {
  return whileWriting(folder, () => {
    try {
      mkdirSync(folder);
      return true;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw thrown;
    }
  });
}
