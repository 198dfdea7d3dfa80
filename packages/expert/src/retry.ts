/**
 * Retries under one deadline, with a limit per attempt. The delay between attempts is capped exponential back-off with
 * jitter, or the server's request up to a cap. Waiting counts towards the deadline, and a wait that would end after it
 * is not started.
 */
import type { Random } from '@emac/core';
import type { Clock } from './clock.ts';
import { fault, isFault, type Fault } from './fault.ts';

export interface RetryOptions {
  readonly maxAttempts: number;
  /** the first delay; doubles with every attempt up to `maxBackoffMs`, less up to half at random */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** cap on a server's `Retry-After` */
  readonly maxRetryAfterMs: number;
  /** for all attempts and waits together */
  readonly deadlineMs: number;
  /** for one attempt */
  readonly attemptMs: number;
  readonly random: Random;
  readonly clock: Clock;
}

/** The first attempt's result without a fault. Rejects with the last Fault; other errors pass through at once. */
export async function withRetries<T>(
  attempt: (signal: AbortSignal, number: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { clock, deadlineMs, attemptMs } = options;
  const deadline = timeLimit(deadlineMs, clock);
  const end = clock.now() + deadlineMs;
  let last = 'no reply yet';
  try {
    for (let number = 1; ; number++) {
      try {
        const own = timeLimit(attemptMs, clock);
        return await limited((signal) => attempt(signal, number), { outer: deadline.signal, own });
      } catch (thrown) {
        if (deadline.signal.aborted) throw tooLate(options, last);
        if (!isFault(thrown) || thrown.kind !== 'retry' || number >= options.maxAttempts) throw thrown;
        last = thrown.message;
        const delay = delayMs(number, thrown.retryAfterMs, options);
        if (clock.now() + delay > end) throw noTimeLeft(thrown, delay);
        await clock.sleep(delay, deadline.signal).catch(() => {
          throw tooLate(options, last);
        });
      }
    }
  } finally {
    deadline.clear();
  }
}

async function limited<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  { outer, own }: { readonly outer: AbortSignal; readonly own: TimeLimit },
): Promise<T> {
  try {
    return await attempt(AbortSignal.any([outer, own.signal]));
  } catch (thrown) {
    throw own.signal.aborted ? fault('retry', `no complete reply within ${own.ms} ms`) : thrown;
  } finally {
    own.clear();
  }
}

interface TimeLimit {
  readonly ms: number;
  /** fires when the time is up */
  readonly signal: AbortSignal;
  readonly clear: () => void;
}

function timeLimit(ms: number, clock: Clock): TimeLimit {
  const controller = new AbortController();
  const clear = clock.after(ms, () => controller.abort());
  return { ms, signal: controller.signal, clear };
}

function tooLate({ deadlineMs }: RetryOptions, last: string): Fault {
  return fault('retry', `no complete reply within ${deadlineMs} ms (before: ${last})`);
}

function noTimeLeft({ message }: Fault, delay: number): Fault {
  return fault(
    'retry',
    `${message} (the next attempt, in ${Math.ceil(delay)} ms, would be after the deadline)`,
  );
}

/** Milliseconds to wait after the given attempt, counted from 1. */
export function delayMs(
  attempt: number,
  retryAfter: number | null,
  options: Omit<RetryOptions, 'clock' | 'deadlineMs' | 'attemptMs'>,
): number {
  if (retryAfter !== null) return Math.min(retryAfter, options.maxRetryAfterMs);
  const whole = Math.min(options.backoffMs * 2 ** (attempt - 1), options.maxBackoffMs);
  return whole * (1 - options.random.uniform() / 2);
}
