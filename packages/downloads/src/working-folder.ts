/** The folder beside the one that is fetched, which holds what has come so far; it is there only while something is missing. */
import { readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { createFolder, discard, isThere } from '@emac/files';

/**
 * Does `work` in the working folder of `folder`, which is removed afterwards; where the work fails, what has come stays for the next time.
 * Errors: `cannot-create` where `folder` is there already or cannot be.
 */
export async function inWorkingFolder<T>(folder: string, work: (path: string) => Promise<T>): Promise<T> {
  if (isThere(folder))
    throw new EmacError('cannot-create', `${folder}: is there already; remove it, or choose another folder`);
  const place = resolve(folder);
  const path = join(dirname(place), `${basename(place)}.fetching`);
  createFolder(path);
  try {
    const done = await work(path);
    discard(path);
    return done;
  } catch (thrown) {
    removeEmpty(path);
    throw thrown;
  }
}

/** Folders without a file, from the innermost. */
function removeEmpty(folder: string): void {
  try {
    for (const each of readdirSync(folder, { withFileTypes: true }))
      if (each.isDirectory()) removeEmpty(join(folder, each.name));
    rmdirSync(folder);
  } catch {
    // it holds something, or another process has removed it
  }
}
