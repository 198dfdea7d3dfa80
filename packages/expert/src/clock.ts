/** Time as the guard of a language model sees it. It is passed in, so that a test decides when time goes by. */
import { setTimeout as wait } from 'node:timers/promises';

export interface Clock {
  /** milliseconds since 1970 */
  now(): number;
  /** resolves after so many milliseconds; rejects when the signal fires before that */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** calls `action` after so many milliseconds, unless what it returns is called before that */
  after(ms: number, action: () => void): () => void;
}

/** A clock that asks `now` for the time (milliseconds since 1970) and waits with Node's timers. */
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
