/**
 * Checks the entry at a path. For paths below a folder without permission, `existsSync` reports false; these report
 * that it cannot be known.
 */
import { type Stats, statSync } from '@emac/platform';
import { errnoOf, whileLooking } from './io-error.ts';

/** True if something exists at `path`; follows links. Errors: `auth` if permission is missing, `io`. */
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
  return whileLooking(path, () => {
    try {
      return statSync(path, { throwIfNoEntry: false });
    } catch (thrown) {
      if (/^(ENOTDIR|ENAMETOOLONG)$/.test(errnoOf(thrown))) return undefined;
      throw thrown;
    }
  });
}
