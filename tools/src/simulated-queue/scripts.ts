/**
 * What BullMQ's scripts do to the keys of its queue, as far as this repository uses them (version 6.7.0: standard jobs,
 * removed when they end, no priorities, delays or limits). A job's lock is its lease.
 */
import { without, type Keys, type KeysOverTime } from './keys.ts';

/** A job's record as a script returns it. */
export interface JobRecord {
  readonly id: string;
  readonly data: string;
  readonly attempts: number;
  readonly attemptsMade: number;
  readonly stalledCounter: number;
  readonly deferredFailure: boolean;
}

/** BullMQ's codes of refusals. */
export const codes = { gone: -1, unlocked: -2, inactive: -3, anothers: -6 } as const;

/** The key of a job's record. */
export function keyOf(queue: string, id: string): string {
  return `emac:${queue}:${id}`;
}

export interface Scripts {
  add(jobs: readonly { readonly id: string; readonly data: string; readonly attempts: number }[]): void;
  moveToActive(token: string, lockMs: number): JobRecord | null;
  /** ends a job; 0 or a code */
  moveToFinished(id: string, token: string): number;
  /** puts a failed job last, and counts; 0 or a code */
  retry(id: string, token: string): number;
  /** returns a job, first; 0 or a code */
  moveToWait(id: string, token: string): number;
  extendLock(id: string, token: string, lockMs: number): number;
  /** returns jobs whose lock is missing since the last call, at most one call in so many milliseconds */
  moveStalledToWait(most: number, everyMs: number): void;
  /** 1 if it was there and not locked */
  remove(id: string): number;
  list(kind: 'wait' | 'active'): readonly string[];
  readonly marker: string;
}

interface Locked {
  readonly key: (id: string) => string;
  /** of the set of suspects */
  readonly stalled: string;
}

function locksOf(server: KeysOverTime, { key, stalled }: Locked) {
  const lockOf = (id: string): string => `${key(id)}:lock`;
  const lock = (
    keys: Keys,
    id: string,
    { token, ms }: { readonly token: string; readonly ms: number },
  ): void => void keys.texts.set(lockOf(id), { value: token, until: server.clock + ms });
  const unlock = (keys: Keys, id: string, token: string): number => {
    const held = keys.texts.get(lockOf(id));
    if (!held) return codes.unlocked;
    if (held.value !== token) return codes.anothers;
    keys.texts.delete(lockOf(id));
    keys.set(stalled).delete(id);
    return 0;
  };
  return { lockOf, lock, unlock };
}

/** Adds one to a field of a job's record. */
function counting(key: (id: string) => string) {
  return (keys: Keys, id: string, field: string): number => {
    const number = Number(keys.hash(key(id)).get(field) ?? 0) + 1;
    keys.hash(key(id)).set(field, String(number));
    return number;
  };
}

// long, as it is a list: one entry for each script
export function scriptsOf(server: KeysOverTime, queue: string): Scripts {
  const prefix = `emac:${queue}:`;
  const [wait, active, stalled, marker] = ['wait', 'active', 'stalled', 'marker'].map(
    (kind) => `${prefix}${kind}`,
  ) as [string, string, string, string];
  const key = (id: string): string => keyOf(queue, id);
  const { lockOf, lock, unlock } = locksOf(server, { key, stalled });
  const count = counting(key);
  /** Takes a job out of its lease, if it is this one. */
  const released = (id: string, token: string, then: (keys: Keys) => void): number => {
    const keys = server.keys(true);
    if (!keys.has(key(id))) return codes.gone;
    const code = unlock(keys, id, token);
    if (code < 0) return code;
    if (!without(keys.list(active), id)) return codes.inactive;
    then(keys);
    return 0;
  };
  // the head of the line is the end of the list, as jobs are pushed left and popped right
  const wake = (): void => server.mark(marker);
  return {
    marker,
    list: (kind) => [...(server.keys(false).lists.get(kind === 'wait' ? wait : active) ?? [])],
    add(jobs) {
      for (const { id, data, attempts } of jobs) {
        const keys = server.keys(true);
        if (keys.has(key(id))) continue;
        keys.hash(key(id)).set('data', data).set('attempts', String(attempts));
        keys.list(wait).unshift(id);
        wake();
      }
    },
    moveToActive(token, ms) {
      const keys = server.keys(true);
      const id = keys.list(wait).pop();
      if (id === undefined) return null;
      keys.list(active).unshift(id);
      lock(keys, id, { token, ms });
      const record = keys.hash(key(id));
      const number = (field: string): number => Number(record.get(field) ?? 0);
      wake();
      return {
        id,
        data: record.get('data')!,
        attempts: number('attempts'),
        attemptsMade: number('atm'),
        stalledCounter: number('stc'),
        deferredFailure: record.has('defa'),
      };
    },
    moveToFinished: (id, token) => released(id, token, (keys) => keys.delete(key(id))),
    retry: (id, token) =>
      released(id, token, (keys) => {
        keys.list(wait).unshift(id);
        wake();
        count(keys, id, 'atm');
      }),
    moveToWait: (id, token) =>
      released(id, token, (keys) => {
        keys.list(wait).push(id);
        wake();
      }),
    extendLock(id, token, ms) {
      const keys = server.keys(true);
      if (keys.texts.get(lockOf(id))?.value !== token) return 0;
      lock(keys, id, { token, ms });
      keys.set(stalled).delete(id);
      return 1;
    },
    moveStalledToWait(most, everyMs) {
      const keys = server.keys(true);
      const checked = `${prefix}stalled-check`;
      if (keys.texts.has(checked)) return;
      keys.texts.set(checked, { value: '1', until: server.clock + everyMs });
      const suspects = server.isWithoutExpiry ? [] : [...keys.set(stalled)];
      keys.delete(stalled);
      for (const id of suspects) {
        if (keys.texts.has(lockOf(id)) || !without(keys.list(active), id)) continue;
        if (count(keys, id, 'stc') > most) keys.hash(key(id)).set('defa', '1');
        keys.list(wait).push(id);
        wake();
      }
      for (const id of keys.list(active)) keys.set(stalled).add(id);
    },
    remove(id) {
      const keys = server.keys(true);
      if (keys.texts.has(lockOf(id))) return 0;
      keys.delete(key(id));
      keys.set(stalled).delete(id);
      without(keys.list(wait), id);
      without(keys.list(active), id);
      return 1;
    },
  };
}
