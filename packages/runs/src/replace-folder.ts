/**
 * Replaces a folder. A rename does not replace a folder with files, so the old one is moved aside first. Both are
 * always complete; after a kill between the two renames, readers take the old one. Each name is on disk before the next
 * step, so a power cut leaves no other states.
 */
import { renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { failpoint, isThere, syncFolder, whileWriting } from '@emac/files';

/** Puts the folder `fresh` in the place of `folder`; on a fault the old one is back. Errors: `io`, `cannot-create`. */
export function replaceFolder(folder: string, fresh: string): void {
  const old = replacedFolder(folder);
  whileWriting(folder, () => {
    rmSync(old, { recursive: true, force: true });
    renameSync(folder, old);
    try {
      syncFolder(dirname(folder));
      failpoint('replaced-set-aside');
      renameSync(fresh, folder);
      failpoint('replaced-in-place');
    } catch (thrown) {
      renameSync(old, folder);
      throw thrown;
    }
    syncFolder(dirname(folder));
    rmSync(old, { recursive: true, force: true });
  });
}

/** The path of a folder's content: its own, or the old one's if its replacement was interrupted. */
export function presentFolder(folder: string): string | null {
  return [folder, replacedFolder(folder)].find((path) => isThere(path)) ?? null;
}

function replacedFolder(folder: string): string {
  return join(dirname(folder), `.replaced-${basename(folder)}`);
}
