/**
 * Creates a folder and its parents one by one: Node's own recursive mkdir never returns for some impossible paths
 * (below /proc, for example). Each name is synced: what is written into a new folder is lost in a power cut with the
 * folder's own name.
 */
import { dirname, mkdirSync, resolve } from '@emac/platform';
import { whileWriting } from './io-error.ts';
import { isFolder } from './place.ts';
import { syncFolder } from './write-file.ts';

/** Creates `path` and its missing parents; an existing folder is left alone. Errors: `cannot-create`, `auth`, `io`. */
export function createFolder(path: string): void {
  whileWriting(path, () => makeLevel(resolve(path)));
}

function makeLevel(path: string): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeLevel(dirname(path));
  try {
    mkdirSync(path);
  } catch (thrown) {
    // another process may have created it meanwhile
    if (!isFolder(path)) throw thrown;
    return;
  }
  syncFolder(dirname(path));
}
