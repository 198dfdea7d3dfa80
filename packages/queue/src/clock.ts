/** The clock of a queue in the process. It is an argument, so that tests control time. */
export interface Clock {
  /** milliseconds; only differences count */
  now(): number;
  /** calls `action` after so many milliseconds; call the returned function to cancel */
  after(ms: number, action: () => void): () => void;
}

/**
 * A clock that reads time from `now`, preferably monotonic (`() => performance.now()`), and waits with Node's timers.
 */
export function timerClock(now: () => number): Clock {
  return {
    now,
    after(ms, action) {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    },
  };
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
