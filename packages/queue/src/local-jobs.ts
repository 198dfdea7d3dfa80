/** Jobs without an outcome, of a queue in the process: the waiting line, and leases with their expiry. */
import type { Job } from './job.ts';
import type { Lease } from './queue.ts';

export interface Entry {
  readonly id: string;
  readonly job: Job;
  readonly versions: string | null;
  failures: number;
  losses: number;
  lease: { readonly token: string; until: number } | null;
}

export interface LocalJobs {
  readonly waiting: number;
  readonly leased: number;
  get(id: string): Entry | undefined;
  /** ids of waiting and leased jobs */
  ids(): string[];
  /** at the end of the line */
  add(entry: Entry): void;
  /** back into the line: last, or first if the job was not at fault */
  again(entry: Entry, place: 'first' | 'last'): void;
  /** from the line into a lease; null if the line is empty */
  take(until: number): Lease | null;
  remove(id: string): void;
  /** expired leases, oldest first */
  expired(now: number): Entry[];
  /** when the next lease expires; null without leases */
  nextExpiry(): number | null;
}

export function localJobs(): LocalJobs {
  const entries = new Map<string, Entry>();
  // maps keep insertion order; jobs in `first` go before those in `last`
  const first = new Map<string, Entry>();
  const last = new Map<string, Entry>();
  const leased = new Map<string, Entry>();
  let count = 0;
  const next = (): Entry | undefined => first.values().next().value ?? last.values().next().value;
  const leave = (id: string): void => {
    for (const place of [first, last, leased]) place.delete(id);
  };
  return {
    get waiting() {
      return first.size + last.size;
    },
    get leased() {
      return leased.size;
    },
    get: (id) => entries.get(id),
    ids: () => [...entries.keys()],
    add(entry) {
      entries.set(entry.id, entry);
      last.set(entry.id, entry);
    },
    again(entry, place) {
      leave(entry.id);
      entry.lease = null;
      (place === 'first' ? first : last).set(entry.id, entry);
    },
    take(until) {
      const entry = next();
      if (!entry) return null;
      leave(entry.id);
      entry.lease = { token: String(++count), until };
      leased.set(entry.id, entry);
      const { id, job, versions, failures, losses } = entry;
      return { id, job, versions, token: entry.lease.token, attempt: failures + losses + 1 };
    },
    remove(id) {
      leave(id);
      entries.delete(id);
    },
    expired: (now) =>
      [...leased.values()]
        .filter(({ lease }) => lease!.until <= now)
        .sort((a, b) => a.lease!.until - b.lease!.until),
    nextExpiry: () =>
      leased.size === 0 ? null : Math.min(...[...leased.values()].map(({ lease }) => lease!.until)),
  };
}
