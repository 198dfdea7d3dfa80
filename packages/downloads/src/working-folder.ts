/** The folder beside the one that is fetched, which holds what has come so far; it is there only while something is missing. */
import { basename, dirname, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { createFolder, discard, isThere } from '@emac/files';

export interface WorkingFolder {
  readonly path: string;
  /** All is in its place. */
  remove(): void;
}

/** Errors: `cannot-create` where `folder` is there already or cannot be. */
export function workingFolderOf(folder: string): WorkingFolder {
  if (isThere(folder))
    throw new EmacError('cannot-create', `${folder}: is there already; remove it, or choose another folder`);
  const place = resolve(folder);
  const path = join(dirname(place), `${basename(place)}.fetching`);
  createFolder(path);
  return { path, remove: () => discard(path) };
}

