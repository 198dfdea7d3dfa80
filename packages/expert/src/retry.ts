/**
 * Attempts under one deadline: capped exponential back-off with jitter between them, or what the server asks for, up to
 * a cap. Waiting counts towards the deadline, and a wait that would end after it is not begun.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@emac/core';
import pRetry from 'p-retry';
import { fault, isFault, type Fault } from './fault.ts';

export interface RetryOptions {
  readonly maxAttempts: number;
  /** the first wait; doubles with every attempt up to `maxBackoffMs`, less up to half by chance */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** most that a server's `Retry-After` is honoured */
  readonly maxRetryAfterMs: number;
  readonly deadlineMs: number;
  readonly random: Random;
  readonly clock: () => number;
}

/**
 * The first attempt's result that is no fault. Rejects with the last Fault, or with one of kind `stop` at the deadline;
 * what is not a Fault passes through at once.
 */
export async function withRetries<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const controller = new AbortController();
  const end = options.clock() + options.deadlineMs;
  const timer = setTimeout(() => controller.abort(), options.deadlineMs);
  let last = 'no reply yet';
  try {
    return await pRetry(() => attempt(controller.signal), {
      retries: options.maxAttempts - 1,
      minTimeout: 0, // the waits are ours, as the library's jitter is not seeded
      maxTimeout: 0,
      signal: controller.signal,
      shouldRetry: ({ error }) => isFault(error) && error.kind === 'retry',
      onFailedAttempt: async ({ error, attemptNumber, retriesLeft }) => {
        if (!isFault(error) || error.kind !== 'retry' || retriesLeft === 0 || controller.signal.aborted)
          return;
        last = error.message;
        await waitBefore(attemptNumber, error, { options, end, signal: controller.signal });
      },
    });
  } catch (thrown) {
    if (!controller.signal.aborted) throw thrown;
    throw fault('stop', `no complete reply within ${options.deadlineMs} ms (before: ${last})`);
  } finally {
    clearTimeout(timer);
  }
}

interface Wait {
  readonly options: RetryOptions;
  readonly end: number;
  readonly signal: AbortSignal;
}

async function waitBefore(attempt: number, failed: Fault, { options, end, signal }: Wait): Promise<void> {
  const delay = delayMs(attempt, failed.retryAfterMs, options);
  if (options.clock() + delay > end)
    throw fault(
      'stop',
      `${failed.message} (the next attempt, in ${Math.ceil(delay)} ms, would be after the deadline)`,
    );
  await sleep(delay, undefined, { signal });
}

/** Milliseconds to wait after the given attempt, counted from 1. */
export function delayMs(
  attempt: number,
  retryAfter: number | null,
  options: Omit<RetryOptions, 'clock' | 'deadlineMs'>,
): number {
  if (retryAfter !== null) return Math.min(retryAfter, options.maxRetryAfterMs);
  const whole = Math.min(options.backoffMs * 2 ** (attempt - 1), options.maxBackoffMs);
  return whole * (1 - options.random.uniform() / 2);
}
