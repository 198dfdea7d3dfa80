/**
 * Where a result is written. A folder that is not there yet is filled beside its name, in `NAME.part`, and gets that name when it is
 * whole; the same evaluation goes on with what an interruption left there. Into a folder that is there, the files are put one by one.
 */
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EmacError } from '@emac/core';
import {
  createFolder,
  discard,
  failpoint,
  isFolder,
  isThere,
  syncFolder,
  tryWriting,
  whileWriting,
} from '@emac/files';
import { claimPrefix, layout } from '@emac/runs';

export interface ResultPlace {
  /** of the result */
  readonly file: string;
  /** where that is once the place is finished */
  readonly named: string;
  /** where everything else goes; null where a file was named */
  readonly folder: string | null;
  /** the result is there: what was made beside gets its name; errors: `cannot-create`, `io` */
  finish(): void;
  /** what an evaluation that is not gone on with left beside is removed, but for its journal, which says so */
  clear(): void;
  /** there is nothing to go on with: what was made beside is removed */
  abandon(): void;
}

/** True for a folder that is there, and for a name that ends as one. */
export function isFolderName(out: string): boolean {
  return /[/\\]$/.test(out) || isFolder(out);
}

/** Where a folder of that name is filled. */
export function partFolder(out: string): string {
  return `${withoutSlash(out)}.part`;
}

function withoutSlash(out: string): string {
  return out.replace(/[/\\]+$/, '');
}

/** Made and tried before anything is played: better no evaluation than one that cannot be written. Errors: `cannot-create`, `auth`, `io`. */
export function openResultPlace(out: string): ResultPlace {
  if (!isFolderName(out)) return placeOf(out, null);
  if (isFolder(out)) return placeOf(join(out, layout.evaluation), out);
  const name = withoutSlash(out);
  if (isThere(name)) throw new EmacError('cannot-create', `--out ${out}: is a file; give another name`);
  const part = partFolder(out);
  const place = placeOf(join(part, layout.evaluation), part);
  return {
    ...place,
    named: join(name, layout.evaluation),
    finish: () =>
      whileWriting(out, () => {
        syncFolder(part);
        if (isThere(name))
          throw new EmacError('cannot-create', `--out ${out}: is there by now; it stays in ${part}`);
        renameSync(part, name);
        syncFolder(dirname(part));
        failpoint('result-named');
      }),
    clear: () =>
      whileWriting(part, () => {
        const left = readdirSync(part).filter(
          (name) => !name.endsWith('.part.jsonl') && !name.startsWith(claimPrefix),
        );
        for (const name of left) rmSync(join(part, name), { recursive: true });
      }),
    abandon: () => discard(part),
  };
}

function placeOf(file: string, folder: string | null): ResultPlace {
  createFolder(dirname(file));
  if (isFolder(file)) throw new EmacError('cannot-create', `--out ${file}: is a folder; give another name`);
  tryWriting(file);
  return { file, named: file, folder, finish: () => {}, clear: () => {}, abandon: () => {} };
}
