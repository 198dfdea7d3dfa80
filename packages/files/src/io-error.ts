/** Faults of the operating system as `EmacError`: what was tried, on which path, with which errno. */
import { EmacError, messageOf } from '@emac/core';
import type { EmacErrorCode } from '@emac/core';

const absent = new Set(['ENOENT', 'ENOTDIR']);
const notCreatable = new Set([
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'EROFS',
  'EEXIST',
  'ENOTEMPTY',
  'EISDIR',
  'ENAMETOOLONG',
]);

/** The errno name of a thrown value (`ENOSPC` …), or an empty text. */
export function errnoOf(thrown: unknown): string {
  const code = thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Runs `action`; a path that is not there becomes `missing`, every other fault of the system `io`. */
export function whileReading<T>(path: string, action: () => T): T {
  return translated(action, (thrown) =>
    fault(absent.has(errnoOf(thrown)) ? 'missing' : 'io', `cannot read ${path}`, thrown),
  );
}

/** Runs `action`; an output that cannot exist becomes `cannot-create`, ENOSPC, EIO and the like become `io`. */
export function whileWriting<T>(path: string, action: () => T): T {
  return translated(action, (thrown) =>
    fault(notCreatable.has(errnoOf(thrown)) ? 'cannot-create' : 'io', `cannot write ${path}`, thrown),
  );
}

function translated<T>(action: () => T, translate: (thrown: unknown) => EmacError): T {
  try {
    return action();
  } catch (thrown) {
    if (thrown instanceof EmacError || errnoOf(thrown) === '') throw thrown;
    throw translate(thrown);
  }
}

function fault(code: EmacErrorCode, what: string, thrown: unknown): EmacError {
  return new EmacError(code, `${what}: ${messageOf(thrown)}${advice(errnoOf(thrown))}`, { cause: thrown });
}

function advice(errno: string): string {
  if (errno === 'ENOSPC' || errno === 'EDQUOT') return '; free some space or choose another folder';
  if (errno === 'ENOENT' || errno === 'ENOTDIR') return '; check the path';
  if (errno === 'EACCES' || errno === 'EPERM' || errno === 'EROFS') return '; choose a folder you may use';
  return '';
}
