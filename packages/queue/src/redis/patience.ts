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
  /** true once there is no hope */
  isOver(): boolean;
}

/** Why there is no hope: there never was a connection, it has been away for too long, or nobody wants to wait. */
export type Hopeless = 'first' | 'away' | 'stopped';

export interface PatienceOptions {
  readonly after?: Clock['after'];
  /** once it fires nobody waits longer than a moment for an answer */
  readonly signal?: AbortSignal | undefined;
}

const retryMs = 500;
/** how long an answer may take for somebody who wants to stop: a few tries, and longer than an idle worker asks for a job */
const momentMs = 3_000;

/**
 * `fault` says what is wrong when there is no hope. A try that nobody answers takes many seconds, so it is time that counts and not
 * their number.
 */
export function patience(
  patienceMs: number,
  fault: (why: Hopeless) => EmacError,
  { after = unrefTimer, signal }: PatienceOptions = {},
): Patience {
  let isOver = false;
  let endTimer = (): void => {};
  let state: 'first' | 'there' | 'ended' = 'first';
  let thrown: EmacError | null = null;
  const waiting = new Set<(fault: EmacError) => void>();
  const giveUp = (): null => {
    if (state === 'ended') return null;
    thrown ??= fault(signal?.aborted ? 'stopped' : state === 'first' ? 'first' : 'away');
    for (const reject of waiting) reject(thrown);
    return null;
  };
  /** Those who wait now do so for a moment more. */
  const hurry = (some: readonly ((fault: EmacError) => void)[]): void =>
    void after(momentMs, () => some.some((each) => waiting.has(each)) && giveUp());
  signal?.addEventListener('abort', () => hurry([...waiting]), { once: true });
  return {
    retry(times) {
      if (thrown) return null;
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
        if (signal?.aborted) hurry([reject]);
        const settled = () => void waiting.delete(reject);
        answer.then(resolve, (reason: unknown) => reject((thrown ?? reason) as Error)).finally(settled);
      }),
    isOver: () => thrown !== null,
  };
}

const unrefTimer: Clock['after'] = (ms, action) => {
  const timer = setTimeout(action, ms).unref();
  return () => clearTimeout(timer);
};
