/* eslint-disable max-params -- Node's functions have as many */
/** Node's names for the tab's disk. */
import type * as node from 'node:fs';
import { Buffer } from 'buffer/';
import { tabDisk as disk } from './tab-disk.ts';

export type { Stats } from './disk.ts';

// the disk takes the forms of these functions that are used here, which is fewer than Node's
export const {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  statfsSync,
  writeFileSync,
  writeSync,
} = disk as unknown as typeof node;

const realpath = (path: string) => disk.realpathSync(path);

/** A tab has no links. */
export const realpathSync = Object.assign(realpath, {
  native: realpath,
}) as unknown as typeof node.realpathSync;

/** A text, or bytes as Node's. */
export const readFileSync = ((path, encoding) => {
  const read = disk.readFileSync(path, encoding);
  return typeof read === 'string' ? read : Buffer.from(read.buffer);
}) as (typeof disk)['readFileSync'] as unknown as (typeof node)['readFileSync'];

/** An open file that is read in pieces. */
export interface FileHandle {
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

/** Opens a file for reading. */
export function openFile(path: string): Promise<FileHandle> {
  return new Promise((resolve) => {
    const descriptor = disk.openSync(path);
    resolve({
      read: (buffer, offset, length, position) =>
        Promise.resolve({ bytesRead: disk.readSync(descriptor, buffer, offset, length, position) }),
      close: () => Promise.resolve(disk.closeSync(descriptor)),
    });
  });
}
