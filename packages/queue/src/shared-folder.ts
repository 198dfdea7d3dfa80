/**
 * Large data beside the queue: files in a folder shared by all machines, each named by its content hash. So a late
 * writer cannot change earlier data, and a reader can verify it.
 */
import { readFileSync, statSync } from 'node:fs';
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
import { nodeTimers, type Timers } from './clock.ts';

export interface SharedFolder {
  /** of the process that uses it: readers that look again later wait by these */
  readonly timers: Timers;
  /**
   * Stores bytes and returns their hash; existing bytes are not written again. Errors: `io` (disk full), `auth`,
   * `cannot-create`.
   */
  put(bytes: Uint8Array): string;
  /**
   * The bytes of a hash, at most so many, by default any number. Errors: `missing`; `data` if the content does not match its hash,
   * or is larger; `usage` for an invalid hash.
   */
  get(hash: string, largest?: number): Uint8Array;
  has(hash: string): boolean;
  /** The file of a hash, for readers that take a path. Errors: as `get`. */
  file(hash: string, largest?: number): string;
}

/** Opens a shared folder; creates it if missing. Errors: `cannot-create`, `auth`, `io`. */
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
  const checked = (hash: string, largest: number): { readonly place: string; readonly bytes: Uint8Array } => {
    const place = placeOf(hash);
    const { size } = whileReading(place, () => statSync(place));
    if (size > largest)
      throw new EmacError(
        'data',
        `${place}: may have at most ${largest} bytes here, has ${size}; another program wrote it`,
      );
    const bytes = whileReading(place, () => readFileSync(place));
    const actual = sha256(bytes);
    if (actual !== hash)
      throw new EmacError(
        'data',
        `${place}: its content must have the hash of its name, got ${actual}; remove it`,
        // as file systems name a wrong checksum
        { cause: Object.assign(new Error('another hash'), { code: 'EBADMSG' }) },
      );
    return { place, bytes };
  };
  return {
    timers: nodeTimers,
    has: (hash) => isFile(placeOf(hash)),
    put(bytes) {
      const hash = sha256(bytes);
      const place = placeOf(hash);
      if (isFile(place)) return hash;
      createFolder(join(path, hash.slice(0, 2)));
      writeFileAtomic(place, bytes);
      return hash;
    },
    get: (hash, largest = Infinity) => checked(hash, largest).bytes,
    file: (hash, largest = Infinity) => checked(hash, largest).place,
  };
}

/**
 * Tests that a shared folder is or could be writable: writes a little there and removes it; creates nothing. Errors: as
 * `sharedFolder`.
 */
export function trySharedFolder(path: string): void {
  let place = resolve(path);
  while (!isThere(place)) place = dirname(place);
  // throws the system's reason if the folder cannot be created
  if (!isFolder(place)) createFolder(path);
  tryWriting(join(place, 'shared'));
}
