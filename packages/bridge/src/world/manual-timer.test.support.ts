/** A clock that tests move by hand. */
import type { Timer } from './timer.ts';

export interface ManualTimer extends Timer {
  /** Moves it; runs due actions in order. */
  pass(milliseconds: number): void;
}

export function manualTimer(): ManualTimer {
  let now = 0;
  const waiting = new Set<{ readonly at: number; readonly act: () => void }>();
  return {
    after(milliseconds, act) {
      const entry = { at: now + milliseconds, act };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
    pass(milliseconds) {
      now += milliseconds;
      for (const entry of [...waiting].sort((one, other) => one.at - other.at)) {
        if (entry.at > now || !waiting.delete(entry)) continue;
        entry.act();
      }
    },
  };
}
