/** How long Redis may be away: until then everything waits, and from then on everything fails with one sentence. */
import type { EmacError } from '@emac/core';
import type { Clock } from '../clock.ts';

export interface Patience {
  /** ioredis's `retryStrategy`: milliseconds until the next try, null for none */
  retry(times: number): number | null;
  /** from now on there are further tries */
  begin(): void;
  /** there are no further tries, and nothing is wrong with that */
  end(): void;
  /** what comes of an answer, or the fault once there is no hope of one */
  hoped<T>(answer: Promise<T>): Promise<T>;
}

const retryMs = 500;

/**
 * `fault` says what is wrong when there is no hope; `isFirst` where there never was a connection. A try that nobody answers takes
 * many seconds, so it is time that counts and not their number.
 */
export function patience(
  patienceMs: number,
  fault: (isFirst: boolean) => EmacError,
  after: Clock['after'] = unrefTimer,
): Patience {
  let isOver = false;
  let endTimer = (): void => {};
  let state: 'first' | 'there' | 'ended' = 'first';
  let thrown: EmacError | null = null;
  const waiting = new Set<(fault: EmacError) => void>();
  const giveUp = (): null => {
    if (state === 'ended') return null;
    thrown ??= fault(state === 'first');
    for (const reject of waiting) reject(thrown);
    return null;
  };
  return {
    retry(times) {
      // the first try after a connection
      if (times === 1) {
        endTimer();
        isOver = false;
        endTimer = after(patienceMs, () => (isOver = true));
      }
      return state === 'there' && !isOver ? retryMs : giveUp();
    },
    begin: () => void (state = 'there'),
    end() {
      state = 'ended';
      endTimer();
    },
    hoped: (answer) =>
      new Promise((resolve, reject) => {
        if (thrown) reject(thrown);
        waiting.add(reject);
        const settled = () => void waiting.delete(reject);
        answer.then(resolve, (reason: unknown) => reject((thrown ?? reason) as Error)).finally(settled);
      }),
  };
}

const unrefTimer: Clock['after'] = (ms, action) => {
  const timer = setTimeout(action, ms).unref();
  return () => clearTimeout(timer);
};
