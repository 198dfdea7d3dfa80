/** A file that is old or new, never half: written beside, synced, renamed over, folder synced. */
import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { failpoint } from './failpoint.ts';
import { whileWriting } from './io-error.ts';
import { discard, syncFolder, temporaryBeside, writeSynced } from './write-file.ts';

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
