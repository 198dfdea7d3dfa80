/** A folder that is complete or not there, too large to be held in memory: it is made beside and renamed. */
import { mkdirSync, renameSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { createFolder, discard, isThere, syncFolder, temporaryBeside, whileWriting } from '@emac/files';

/** Makes `folder` by filling a temporary one. Errors: `cannot-create` where it exists, `io`, and what `make` throws; nothing is left then. */
export async function wholeFolder<T>(folder: string, make: (temporary: string) => Promise<T>): Promise<T> {
  const path = resolve(folder);
  if (isThere(path)) throw new EmacError('cannot-create', `${folder}: exists already; choose another folder`);
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
