/** Bytes to disk, durably: the steps that atomic files and folders share. */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

let temporaryCount = 0;
/** containers that share a folder have the same process ids, and may have the same host name */
const ownMark = randomBytes(6).toString('hex');

/**
 * A path beside `path` that no other writer uses, on whatever machine: `.tmp-<name>-<pid>-<mark>-<count>`, the mark drawn
 * anew in every process. What a killed process left is stepped over.
 */
export function temporaryBeside(path: string): string {
  for (;;) {
    const free = join(dirname(path), `.tmp-${basename(path)}-${process.pid}-${ownMark}-${temporaryCount++}`);
    if (!existsSync(free)) return free;
  }
}

/** Creates a new file with these bytes and syncs it; a partial file is left behind on a fault. */
export function writeSynced(path: string, bytes: Uint8Array): void {
  const descriptor = openSync(path, 'wx');
  try {
    writeAll(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes every byte at the file's position; a short write (a disk filling up) is continued until it errs. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.byteLength) done += writeSync(descriptor, bytes, done);
}

/** Makes a rename or a new name in this folder survive a power cut. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes every name in this folder and the folders below it survive a power cut, from the innermost. */
export function syncTree(folder: string): void {
  for (const each of readdirSync(folder, { withFileTypes: true }))
    if (each.isDirectory()) syncTree(join(folder, each.name));
  syncFolder(folder);
}

/** Removes what an abandoned write left; a fault here must not hide the one that came before. */
export function discard(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // the next start removes it: see removeTemporary
  }
}
