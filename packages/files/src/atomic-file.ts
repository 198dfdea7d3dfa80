/** Replaces a file atomically: the new file is written under a temporary name, synced, renamed over the old one, and the folder synced. */
import { dirname, renameSync } from '@emac/platform';
import { failpoint } from './failpoint.ts';
import { whileWriting } from './io-error.ts';
import { discard, syncFolder, temporaryBeside, writeSynced } from './write-file.ts';

/** Writes and removes a small test file beside `path`, so an unwritable output is found early. Errors: as `writeFileAtomic`. */
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
