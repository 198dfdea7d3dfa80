/**
 * Requests sent to workers ahead of their turn, so they work while the trainer learns: update by update, as far ahead
 * as a policy may be stale.
 */
import type { Versions } from './versions.ts';

/** How to make a request while this process continues. */
export interface Asking {
  /** the result is no longer needed */
  readonly signal: AbortSignal;
  /** call once workers can begin; until then the caller does nothing else */
  readonly put: () => void;
}

/** Results, update by update. */
export interface Coming<T> {
  /** The next update's result. Errors: those of this update's or an earlier one's work. */
  next(): Promise<T>;
  /** Stops work ahead, and waits until it has ended. */
  stop(): Promise<void>;
}

export interface AheadOf<T> {
  readonly versions: Pick<Versions, 'limit'>;
  /** of the whole run */
  readonly updates: number;
  /** made so far */
  readonly made: () => number;
  /** whether each request begins where the last ended, or all can begin at once */
  readonly isChain: boolean;
  /** Called when an update may be requested, while its version is kept; `before` is the previous request. */
  ask(update: number, before: Promise<T> | null, asking: Asking): Promise<T>;
}

interface Asked<T> {
  readonly done: Promise<T>;
  /** resolves when workers can begin it, or never will */
  readonly begun: Promise<unknown>;
}

export function askedAhead<T>({ versions, updates, made, isChain, ask }: AheadOf<T>): Coming<T> {
  const stop = new AbortController();
  const ahead: Asked<T>[] = [];
  let following = made();
  let before: Promise<T> | null = null;
  const askNext = (): void => {
    let put = (): void => {};
    const wasPut = new Promise<void>((resolve) => (put = resolve));
    const done = ask(following++, before, { signal: stop.signal, put });
    before = done;
    // a fault is thrown where its result is awaited
    ahead.push({ done, begun: Promise.race([wasPut, done.catch(() => {})]) });
  };
  return {
    async next() {
      while (following <= Math.min(updates - 1, made() + versions.limit)) askNext();
      const done = await ahead[0]!.done;
      ahead.shift();
      // learning may block this process, so workers must get their requests first
      await Promise.all(ahead.slice(0, isChain ? 1 : ahead.length).map(({ begun }) => begun));
      return done;
    },
    async stop() {
      stop.abort();
      await Promise.allSettled(ahead.map(({ done }) => done));
    },
  };
}
