/** Converts operating-system faults in reading games to `EmacError`, with path and reason. */
import { EmacError, messageOf } from '@emac/core';

/** Runs `action`. Errors: `auth` for a file or folder without permission, `io` for every other fault of the system. */
export function reading<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (thrown) {
    if (thrown instanceof EmacError) throw thrown;
    const isForbidden = /^(EACCES|EPERM)$/.test((thrown as NodeJS.ErrnoException).code ?? '');
    throw new EmacError(isForbidden ? 'auth' : 'io', `${path}: cannot be read: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
}
