/**
 * A folder with all its parents, made one by one: Node's own recursive mkdir does not return for some paths that
 * cannot be made (below /proc, for one).
 */
import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { whileWriting } from './io-error.ts';
import { isFolder } from './place.ts';

/** Makes `path` and what is missing above it; one that is there is left alone. Errors: `cannot-create`, `auth`, `io`. */
export function createFolder(path: string): void {
  whileWriting(path, () => makeLevel(resolve(path)));
}

function makeLevel(path: string): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeLevel(dirname(path));
  try {
    mkdirSync(path);
  } catch (thrown) {
    // another process may have made it in the meantime
    if (!isFolder(path)) throw thrown;
  }
}
