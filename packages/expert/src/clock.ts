/** The time used by a language model's guard. It is passed in, so tests control it. */
import { setTimeout as wait } from 'node:timers/promises';

export interface Clock {
  /** milliseconds since 1970 */
  now(): number;
  /** resolves after this many milliseconds; rejects if the signal fires earlier */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** schedules `action` after this many milliseconds; the returned function cancels it */
  after(ms: number, action: () => void): () => void;
}

/** A clock that reads the time from `now` (milliseconds since 1970) and waits with Node's timers. */
export function realClock(now: () => number): Clock {
  return {
    now,
    sleep: (ms, signal) => wait(ms, undefined, signal ? { signal } : {}),
    after(ms, action) {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    },
  };
}
