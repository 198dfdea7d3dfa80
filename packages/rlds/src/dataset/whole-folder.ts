/** Writes a folder completely or not at all, for content too large for memory: under a temporary name, then renamed. */
import { mkdirSync, renameSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { createFolder, discard, isThere, syncFolder, temporaryBeside, whileWriting } from '@emac/files';

/** Creates `folder` by filling a temporary one. Errors: `cannot-create` if it exists, `io`, and those of `make`; then nothing is left. */
export async function wholeFolder<T>(folder: string, make: (temporary: string) => Promise<T>): Promise<T> {
  const path = resolve(folder);
  if (isThere(path)) throw new EmacError('cannot-create', `${folder}: already exists; choose another folder`);
  createFolder(dirname(path));
  const temporary = temporaryBeside(path);
  whileWriting(path, () => mkdirSync(temporary));
  try {
    const made = await make(temporary);
    whileWriting(path, () => {
      syncFolder(temporary);
      renameSync(temporary, path);
      syncFolder(dirname(path));
    });
    return made;
  } catch (thrown) {
    discard(temporary);
    throw thrown;
  }
}
