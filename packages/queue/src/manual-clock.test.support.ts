/** A clock for tests. Time passes when a test says so; it can also jump forward and back, like a clock set by hand. */
import type { Clock } from './clock.ts';

export interface ManualClock extends Clock {
  /** lets so many milliseconds pass, and runs due timers in order */
  pass(ms: number): void;
  /** changes the displayed time; no timer becomes due */
  jump(ms: number): void;
}

export function manualClock(): ManualClock {
  const due = new Set<{ readonly at: number; readonly action: () => void }>();
  // `shown` is the displayed time, `gone` the time really passed
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
