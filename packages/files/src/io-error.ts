/** Operating-system errors as `EmacError`: the operation, the path and the errno. */
import { EmacError, messageOf } from '@emac/core';
import type { EmacErrorCode } from '@emac/core';

const absent = new Set(['ENOENT', 'ENOTDIR']);
const notPermitted = new Set(['EACCES', 'EPERM']);
const notCreatable = new Set([
  'ENOENT',
  'ENOTDIR',
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

/** Runs `action`; a path that does not exist becomes `missing`, one without permission `auth`, every other error `io`. */
export function whileReading<T>(path: string, action: () => T): T {
  return translated(action, (thrown) => fault(readingCode(errnoOf(thrown)), `cannot read ${path}`, thrown));
}

/** Runs `action`; an output that cannot exist becomes `cannot-create`, one without permission `auth`, ENOSPC, EIO and the like `io`. */
export function whileWriting<T>(path: string, action: () => T): T {
  return translated(action, (thrown) => fault(writingCode(errnoOf(thrown)), `cannot write ${path}`, thrown));
}

function readingCode(errno: string): EmacErrorCode {
  if (absent.has(errno)) return 'missing';
  return notPermitted.has(errno) ? 'auth' : 'io';
}

/** Read-only file systems such as /sys answer EPERM. */
function writingCode(errno: string): EmacErrorCode {
  if (errno === 'EACCES') return 'auth';
  return notCreatable.has(errno) ? 'cannot-create' : 'io';
}

/** A system error on a path that no reader or writer has translated, as `auth` or `io`; null for anything else. */
export function systemFault(thrown: unknown): EmacError | null {
  const errno = errnoOf(thrown);
  const { path } = errno === '' ? {} : (thrown as NodeJS.ErrnoException);
  if (path === undefined) return null;
  return fault(notPermitted.has(errno) ? 'auth' : 'io', `cannot use ${path}`, thrown);
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
  if (notPermitted.has(errno) || errno === 'EROFS') return '; choose a path you may use';
  return '';
}
