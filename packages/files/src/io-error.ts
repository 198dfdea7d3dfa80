/** Operating-system errors as `EmacError`: the operation, the path and the errno. */
import { type Stats, statSync } from '@emac/platform';
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

/**
 * Runs `action`; a path that does not exist becomes `missing`, one without permission `auth`, every other error `io`. Errors: `data` for a
 * pipe, socket or device, which could keep the reader for ever.
 */
export function whileReading<T>(path: string, action: () => T): T {
  return whileLooking(path, () => {
    requireOrdinary(path);
    return action();
  });
}

/** The same for an action that reads no content. */
export function whileLooking<T>(path: string, action: () => T): T {
  return translated(action, (thrown) => fault(readingCode(errnoOf(thrown)), `cannot read ${path}`, thrown));
}

/** where a shell puts pipes: standard input, and `<(…)` */
const ofTheSystem = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/[^/]+\/fd\/\d+)$/;

/** Errors: `data` for a pipe, socket or device, other than one that a shell has put in `/dev` or `/proc`. */
export function requireOrdinary(path: string): void {
  if (ofTheSystem.test(path)) return;
  const found = statOf(path);
  if (!found || found.isFile() || found.isDirectory()) return;
  throw new EmacError('data', `cannot read ${path}: it is no ordinary file; put one in its place`);
}

/** Null where there is nothing, or nobody may look: reading says so. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
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
