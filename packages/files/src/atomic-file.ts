/** A file that is old or new, never half: written beside, synced, renamed over, folder synced. */
import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { failpoint } from './failpoint.ts';
import { whileWriting } from './io-error.ts';
import { discard, syncFolder, temporaryBeside, writeSynced } from './write-file.ts';

/** Writes a little beside `path` and removes it: an output that cannot be written is better known early. Errors: as `writeFileAtomic`. */
export function tryWriting(path: string): void {
  const temporary = temporaryBeside(path);
  whileWriting(path, () => {
    try {
      writeSynced(temporary, new TextEncoder().encode('\n'));
    } finally {
      discard(temporary);
    }
  });
}

/** Replaces the file at `path`. Errors: `io` (disk full …) or `cannot-create`, naming the path; the old file stays. */
export function writeFileAtomic(path: string, data: Uint8Array | string): void {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  const temporary = temporaryBeside(path);
  whileWriting(path, () => {
    try {
      writeSynced(temporary, bytes);
      failpoint('file-written');
      renameSync(temporary, path);
    } catch (thrown) {
      discard(temporary);
      throw thrown;
    }
    failpoint('file-renamed');
    syncFolder(dirname(path));
  });
}
