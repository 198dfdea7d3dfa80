/** Time is an argument, so that tests control it. */
export interface Timers {
  /** calls `action` after so many milliseconds; call the returned function to cancel */
  after(ms: number, action: () => void): () => void;
}

/** The clock of a queue in the process. */
export interface Clock extends Timers {
  /** milliseconds; only differences count */
  now(): number;
}

/** Node's timers. */
export const nodeTimers: Timers = {
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * A clock that reads time from `now`, preferably monotonic (`() => performance.now()`), and waits with Node's timers.
 */
export function timerClock(now: () => number): Clock {
  return { now, ...nodeTimers };
}

/** Resolves after so many milliseconds. */
export function pause({ after }: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => void after(ms, resolve));
}

/** Milliseconds since this call; a clock set back counts as standing still. */
export function elapsed(clock: Clock): () => number {
  let last = clock.now();
  let total = 0;
  return () => {
    const now = clock.now();
    total += Math.max(0, now - last);
    last = now;
    return total;
  };
}
