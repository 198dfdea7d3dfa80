/** Waits for a condition that changes, or for a time limit. */
import { EmacError } from '@emac/core';

export interface Awaited<T> {
  readonly find: () => T | null;
  readonly onChange: (call: () => void) => () => void;
  readonly signal: AbortSignal | undefined;
}

export interface TimeLimit {
  readonly after: (act: () => void) => () => void;
  readonly fault: () => EmacError;
}

/** Resolves to the found value, now or after a change. Errors: `interrupted`, the limit's. */
export function until<T>({ find, onChange, signal }: Awaited<T>, limit?: TimeLimit): Promise<T> {
  return new Promise((resolve, reject) => {
    const ends: (() => void)[] = [];
    const end = (): void => ends.forEach((each) => each());
    const fail = (fault: EmacError): void => {
      end();
      reject(fault);
    };
    const look = (): boolean => {
      const found = find();
      if (found === null) return false;
      end();
      resolve(found);
      return true;
    };
    if (look()) return;
    const stop = (): void =>
      fail(new EmacError('interrupted', 'stopped on request while waiting for a client'));
    if (signal?.aborted) return stop();
    ends.push(onChange(() => void look()));
    signal?.addEventListener('abort', stop);
    ends.push(() => signal?.removeEventListener('abort', stop));
    if (limit) ends.push(limit.after(() => fail(limit.fault())));
  });
}
