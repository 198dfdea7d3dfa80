/** The working folder beside a folder being fetched; it holds partial downloads, and exists only until the fetch is complete. */
import { readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { createFolder, discard, isThere } from '@emac/files';

/**
 * Runs `work` in the working folder of `folder`, and removes it afterwards; if the work fails, partial downloads stay for the next call.
 * Errors: `cannot-create` if `folder` already exists or cannot be created.
 */
export async function inWorkingFolder<T>(folder: string, work: (path: string) => Promise<T>): Promise<T> {
  if (isThere(folder))
    throw new EmacError('cannot-create', `${folder}: already exists; remove it, or choose another folder`);
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

/** Removes folders without files, innermost first. */
function removeEmpty(folder: string): void {
  try {
    for (const each of readdirSync(folder, { withFileTypes: true }))
      if (each.isDirectory()) removeEmpty(join(folder, each.name));
    rmdirSync(folder);
  } catch {
    // it is not empty, or another process has removed it
  }
}
