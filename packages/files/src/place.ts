/**
 * What is at a path. Unlike `existsSync`, which says of a path below a folder without permission that it is not there,
 * these say that nobody can know.
 */
import { statSync, type Stats } from 'node:fs';
import { errnoOf, whileReading } from './io-error.ts';

/** True where something is at `path`; links are followed. Errors: `auth` where that may not be known, `io`. */
export function isThere(path: string): boolean {
  return found(path) !== undefined;
}

/** True for a folder. Errors: as `isThere`. */
export function isFolder(path: string): boolean {
  return found(path)?.isDirectory() ?? false;
}

/** True for a file. Errors: as `isThere`. */
export function isFile(path: string): boolean {
  return found(path)?.isFile() ?? false;
}

function found(path: string): Stats | undefined {
  return whileReading(path, () => {
    try {
      return statSync(path, { throwIfNoEntry: false });
    } catch (thrown) {
      if (/^(ENOTDIR|ENAMETOOLONG)$/.test(errnoOf(thrown))) return undefined;
      throw thrown;
    }
  });
}
