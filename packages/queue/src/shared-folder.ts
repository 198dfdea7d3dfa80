/**
 * Large data beside the queue: files in a folder that all machines see, each under the hash of its content. So a late
 * writer cannot change what another has written, and a reader knows that it has what was meant.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import {
  createFolder,
  isFile,
  isFolder,
  isThere,
  sha256,
  tryWriting,
  whileReading,
  writeFileAtomic,
} from '@emac/files';

export interface SharedFolder {
  /** Stores bytes and returns their hash; what is there already is not written again. Errors: `io` (disk full), `auth`, `cannot-create`. */
  put(bytes: Uint8Array): string;
  /** The bytes of a hash. Errors: `missing`; `data` where the file is not what its name says; `usage` for no hash. */
  get(hash: string): Uint8Array;
  has(hash: string): boolean;
  /** The file of a hash, for readers that take a path. Errors: as `get`. */
  file(hash: string): string;
}

/** A shared folder; it is made where it is missing. Errors: `cannot-create`, `auth`, `io`. */
export function sharedFolder(path: string): SharedFolder {
  createFolder(path);
  const placeOf = (hash: string): string => {
    if (!/^[0-9a-f]{64}$/.test(hash))
      throw new EmacError(
        'usage',
        `${path}: data is named by 64 hexadecimal digits, got ${JSON.stringify(hash)}`,
      );
    return join(path, hash.slice(0, 2), hash);
  };
  const checked = (hash: string): { readonly place: string; readonly bytes: Uint8Array } => {
    const place = placeOf(hash);
    const bytes = whileReading(place, () => readFileSync(place));
    const actual = sha256(bytes);
    if (actual !== hash)
      throw new EmacError(
        'data',
        `${place}: its content must have the hash of its name, it has ${actual}; remove it`,
      );
    return { place, bytes };
  };
  return {
    has: (hash) => isFile(placeOf(hash)),
    put(bytes) {
      const hash = sha256(bytes);
      const place = placeOf(hash);
      if (isFile(place)) return hash;
      createFolder(join(path, hash.slice(0, 2)));
      writeFileAtomic(place, bytes);
      return hash;
    },
    get: (hash) => checked(hash).bytes,
    file: (hash) => checked(hash).place,
  };
}

/** Writes a little where a shared folder is or would be, and removes it; nothing is made. Errors: as `sharedFolder`. */
export function trySharedFolder(path: string): void {
  let place = resolve(path);
  while (!isThere(place)) place = dirname(place);
  // says in the words of the system what is in the way
  if (!isFolder(place)) createFolder(path);
  tryWriting(join(place, 'shared'));
}
