/** What others are asked for before its turn, so that they do it while one learns here: update by update, so many ahead as a policy may be old. */
import type { Versions } from './versions.ts';

/** How others are asked while this process goes on. */
export interface Asking {
  /** nobody waits for it any more */
  readonly signal: AbortSignal;
  /** to be called as soon as others can begin: until then who asks does nothing else */
  readonly put: () => void;
}

/** What comes update by update. */
export interface Coming<T> {
  /** Of the update that comes. Errors: those of whoever does it, of this update or an earlier one. */
  next(): Promise<T>;
  /** Ends what is done ahead, and waits until it has ended. */
  stop(): Promise<void>;
}

export interface AheadOf<T> {
  readonly versions: Pick<Versions, 'limit'>;
  /** of the whole run */
  readonly updates: number;
  /** made so far */
  readonly made: () => number;
  /** whether each begins where the one before ended, or all can begin at once */
  readonly isChain: boolean;
  /** Called when an update may be asked, while its version is kept; what was asked before it is there to be waited for. */
  ask(update: number, before: Promise<T> | null, asking: Asking): Promise<T>;
}

interface Asked<T> {
  readonly done: Promise<T>;
  /** resolves when others can begin with it, or never will */
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
    // a fault is told where it is waited for
    ahead.push({ done, begun: Promise.race([wasPut, done.catch(() => {})]) });
  };
  return {
    async next() {
      while (following <= Math.min(updates - 1, made() + versions.limit)) askNext();
      const done = await ahead[0]!.done;
      ahead.shift();
      // who learns may keep this process busy: others have heard what they can do before that
      await Promise.all(ahead.slice(0, isChain ? 1 : ahead.length).map(({ begun }) => begun));
      return done;
    },
    async stop() {
      stop.abort();
      await Promise.allSettled(ahead.map(({ done }) => done));
    },
  };
}
