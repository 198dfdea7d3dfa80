/** Time as a queue in the process sees it. It is passed in, so that a test decides when time goes by. */
export interface Clock {
  /** milliseconds; only differences count */
  now(): number;
  /** calls `action` after so many milliseconds, unless what it returns is called before that */
  after(ms: number, action: () => void): () => void;
}

/** A clock that asks `now` for the time, best a monotonic one (`() => performance.now()`), and waits with Node's timers. */
export function timerClock(now: () => number): Clock {
  return {
    now,
    after(ms, action) {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    },
  };
}

/** Milliseconds that have gone by since the first question; a clock that is set back has stood still. */
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
