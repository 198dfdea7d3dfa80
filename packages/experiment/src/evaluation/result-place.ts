/**
 * The place of a result. A new folder is filled as `NAME.part` and renamed when complete; the same evaluation resumes
 * from an interruption's files there. In an existing folder the files are written one by one.
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
  /** its final path */
  readonly named: string;
  /** folder of the other files; null if a file was named */
  readonly folder: string | null;
  /** renames the finished folder; errors: `cannot-create`, `io` */
  finish(): void;
  /** removes another evaluation's leftovers, except its journal, which detects that itself */
  clear(): void;
  /** removes an unfinished folder without anything to resume */
  abandon(): void;
}

/** True for a folder that is there, and for a name that ends as one. */
export function isFolderName(out: string): boolean {
  return /[/\\]$/.test(out) || isFolder(out);
}

/** The temporary folder of a result. */
export function partFolder(out: string): string {
  return `${withoutSlash(out)}.part`;
}

function withoutSlash(out: string): string {
  return out.replace(/[/\\]+$/, '');
}

/**
 * Created and tested before play, since an evaluation that cannot be written is wasted. Errors: `cannot-create`,
 * `auth`, `io`.
 */
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
          throw new EmacError(
            'cannot-create',
            `--out ${out}: already exists by now; the result stays in ${part}`,
          );
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
