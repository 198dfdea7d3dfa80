/**
 * A folder with all its parents, made one by one: Node's own recursive mkdir does not return for some paths that
 * cannot be made (below /proc, for one).
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { whileWriting } from '@emac/files';

/** Makes `path` and what is missing above it; one that is there is left alone. Errors: `cannot-create`, `io`. */
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

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
