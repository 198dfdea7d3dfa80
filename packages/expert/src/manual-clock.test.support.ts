/** A clock for tests: time advances when a test says so, and when code waits. */
import type { Clock } from './clock.ts';

export interface ManualClock extends Clock {
  /** advances time by this many milliseconds, and calls due actions in order */
  pass(ms: number): void;
  /** durations of all waits, in milliseconds */
  readonly waits: readonly number[];
}

export interface ManualClockOptions {
  /** milliseconds since 1970; default: start of 2026 */
  readonly start?: number;
  /** whether a wait passes at once, or lasts until the test advances time; default at once */
  readonly wait?: 'at-once' | 'held';
}

export function manualClock(options: ManualClockOptions = {}): ManualClock {
  const { start = Date.parse('2026-01-01T00:00:00Z'), wait = 'at-once' } = options;
  const due = new Set<{ readonly at: number; readonly action: () => void }>();
  const waits: number[] = [];
  let now = start;
  const pass = (ms: number): void => {
    const end = now + ms;
    for (;;) {
      const [next] = [...due].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      due.delete(next);
      now = Math.max(now, next.at);
      next.action();
    }
    now = Math.max(now, end);
  };
  const after: Clock['after'] = (ms, action) => {
    const entry = { at: now + ms, action };
    due.add(entry);
    return () => void due.delete(entry);
  };
  const sleep: Clock['sleep'] = (ms, signal) => {
    waits.push(ms);
    const ended = new Promise<void>((resolve, reject) => {
      if (signal?.aborted) reject(signal.reason as Error);
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
      after(ms, resolve);
    });
    if (wait === 'at-once') pass(ms);
    return ended;
  };
  return { now: () => now, after, sleep, pass, waits };
}

/** Waits until all code that needs neither time nor network has run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
