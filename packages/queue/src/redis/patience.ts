/** How long Redis may be away: until then commands wait, afterwards they fail with one sentence. */
import type { EmacError } from '@emac/core';
import type { Timers } from '../clock.ts';

export interface Patience {
  /** ioredis's `retryStrategy`: milliseconds until the next attempt, null for none */
  retry(times: number): number | null;
  /** allows further attempts from now on */
  begin(): void;
  /** no further attempts are wanted, without a fault */
  end(): void;
  /** the answer, or a fault once the connection is given up */
  hoped<T>(answer: Promise<T>): Promise<T>;
  /** true once the connection is given up */
  isOver(): boolean;
}

/** Why the connection is given up: it never existed, was away too long, or the program stops. */
export type Hopeless = 'first' | 'away' | 'stopped';

export interface PatienceOptions {
  readonly after?: Timers['after'];
  /** once it fires, each answer may take only a moment */
  readonly signal?: AbortSignal | undefined;
  /** whether the first connection stood and was cut, not refused: it gets some further attempts; default never */
  readonly wasCut?: () => boolean;
}

const retryMs = 500;
/** a server that always closes, such as one that speaks TLS, must soon be named */
const firstCuts = 5;
/** time limit of an answer after a stop: a few attempts, and longer than an idle worker's request for a job */
const momentMs = 3_000;

/**
 * `fault` makes the error once the connection is given up. Patience is measured in time, not attempts, since an
 * unanswered attempt takes many seconds.
 */
export function patience(
  patienceMs: number,
  fault: (why: Hopeless) => EmacError,
  { after = unrefTimer, signal, wasCut = () => false }: PatienceOptions = {},
): Patience {
  let isOver = false;
  let endTimer = (): void => {};
  let state: 'first' | 'there' | 'ended' = 'first';
  let thrown: EmacError | null = null;
  let cuts = 0;
  const waiting = new Set<(fault: EmacError) => void>();
  const giveUp = (): null => {
    if (state === 'ended') return null;
    thrown ??= fault(signal?.aborted ? 'stopped' : state === 'first' ? 'first' : 'away');
    for (const reject of waiting) reject(thrown);
    return null;
  };
  /** Limits waiting answers to a moment. */
  const hurry = (some: readonly ((fault: EmacError) => void)[]): void =>
    void after(momentMs, () => some.some((each) => waiting.has(each)) && giveUp());
  signal?.addEventListener('abort', () => hurry([...waiting]), { once: true });
  return {
    retry(times) {
      if (thrown) return null;
      // the first attempt after a connection
      if (times === 1) {
        endTimer();
        isOver = false;
        endTimer = after(patienceMs, () => (isOver = true));
      }
      const mayRetry = state === 'first' ? wasCut() && cuts++ < firstCuts : state === 'there' && !isOver;
      return mayRetry ? retryMs : giveUp();
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

const unrefTimer: Timers['after'] = (ms, action) => {
  const timer = setTimeout(action, ms).unref();
  return () => clearTimeout(timer);
};
