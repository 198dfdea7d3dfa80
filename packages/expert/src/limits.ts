/**
 * Limits on a service: calls in flight, and requests and tokens within any minute. The window slides, so no minute,
 * whenever it starts, exceeds the limit.
 */
import type { Clock } from './clock.ts';

export interface LimitOptions {
  /** calls in flight; default 8 */
  readonly concurrency?: number | undefined;
  readonly requestsPerMinute?: number | undefined;
  /** tokens of prompts and longest answers */
  readonly tokensPerMinute?: number | undefined;
  readonly clock: Clock;
  /** default 60,000 */
  readonly windowMs?: number;
}

export interface Limits {
  /** waits for a place among the calls in flight and holds it while `call` runs; first come, first served */
  inFlight<T>(call: () => Promise<T>): Promise<T>;
  /** waits until one more request may be sent; rejects if the signal fires */
  request(tokens: number, signal?: AbortSignal): Promise<void>;
}

export function callLimits(options: LimitOptions): Limits {
  const places = semaphore(options.concurrency ?? 8);
  return {
    async inFlight(call) {
      await places.enter();
      try {
        return await call();
      } finally {
        places.leave();
      }
    },
    request: slidingWindow(options),
  };
}

function semaphore(places: number): { enter: () => Promise<void>; leave: () => void } {
  const waiting: (() => void)[] = [];
  let free = places;
  return {
    async enter() {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    leave() {
      const next = waiting.shift();
      if (next) next();
      else free++;
    },
  };
}

function slidingWindow(options: LimitOptions): Limits['request'] {
  const { requestsPerMinute = Infinity, tokensPerMinute = Infinity, windowMs = 60_000, clock } = options;
  const sent: { readonly at: number; readonly tokens: number }[] = [];
  const isFree = (tokens: number): boolean => {
    const total = sent.reduce((sum, each) => sum + each.tokens, tokens);
    // a request above the limit can only go alone
    return sent.length === 0 || (sent.length < requestsPerMinute && total <= tokensPerMinute);
  };
  if (requestsPerMinute === Infinity && tokensPerMinute === Infinity) return () => Promise.resolve();
  return async (tokens, signal) => {
    for (;;) {
      while (sent[0] !== undefined && sent[0].at + windowMs <= clock.now()) sent.shift();
      if (isFree(tokens)) break;
      await clock.sleep(Math.max(1, sent[0]!.at + windowMs - clock.now()), signal);
    }
    sent.push({ at: clock.now(), tokens });
  };
}
