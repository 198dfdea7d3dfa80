/** Writes bytes to disk durably: the steps shared by atomic files and folders. */
import {
  basename,
  closeSync,
  dirname,
  existsSync,
  fsyncSync,
  join,
  openSync,
  processId,
  randomHex,
  readdirSync,
  rmSync,
  writeSync,
} from '@emac/platform';

let temporaryCount = 0;
/** containers that share a folder have the same process ids, and may have the same host name */
const ownMark = randomHex(6);

/**
 * A path beside `path` that no other writer uses, on any machine: `.tmp-<name>-<pid>-<mark>-<count>`, with a random mark
 * per process. Leftovers of killed processes are skipped.
 */
export function temporaryBeside(path: string): string {
  for (;;) {
    const free = join(dirname(path), `.tmp-${basename(path)}-${processId}-${ownMark}-${temporaryCount++}`);
    if (!existsSync(free)) return free;
  }
}

/** Creates a new file with these bytes and syncs it; an error leaves a partial file. */
export function writeSynced(path: string, bytes: Uint8Array): void {
  const descriptor = openSync(path, 'wx');
  try {
    writeAll(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes every byte at the file's position; continues after a short write (a disk filling up) until it fails. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.byteLength) done += writeSync(descriptor, bytes, done);
}

/** Makes a rename or new name in this folder survive a power cut. */
export function syncFolder(folder: string): void {
  syncPath(folder);
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes every file and name in this folder and its subfolders survive a power cut, innermost first. */
export function syncTree(folder: string): void {
  for (const each of readdirSync(folder, { withFileTypes: true })) {
    if (each.isDirectory()) syncTree(join(folder, each.name));
    else if (each.isFile()) syncPath(join(folder, each.name));
  }
  syncPath(folder);
}

/** Removes leftovers of an abandoned write; an error here must not hide the earlier one. */
export function discard(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // the next start removes it: see removeTemporary
  }
}
