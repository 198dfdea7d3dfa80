/** A clock for tests: time goes by when a test says so; it may also be set, forward and back, as people and services set clocks. */
import type { Clock } from './clock.ts';

export interface ManualClock extends Clock {
  /** lets so many milliseconds go by, and calls what falls due, in order */
  pass(ms: number): void;
  /** changes what the clock shows; nothing falls due by that */
  jump(ms: number): void;
}

export function manualClock(): ManualClock {
  const due = new Set<{ readonly at: number; readonly action: () => void }>();
  // `shown` is what the clock says, `gone` the time that has really gone by
  let [shown, gone] = [1_000_000, 0];
  const pass = (ms: number): void => {
    const end = gone + ms;
    for (;;) {
      const [next] = [...due].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      due.delete(next);
      shown += next.at - gone;
      gone = next.at;
      next.action();
    }
    shown += end - gone;
    gone = end;
  };
  return {
    now: () => shown,
    pass,
    jump: (ms) => void (shown += ms),
    after(ms, action) {
      const entry = { at: gone + ms, action };
      due.add(entry);
      return () => void due.delete(entry);
    },
  };
}
