/** The limits of a queue, with their defaults. */
import { EmacError } from '@emac/core';

export interface QueueSettings {
  /** duration of a lease without renewal, in milliseconds; default 30,000 */
  readonly leaseMs?: number | undefined;
  /** jobs that may wait before `put` blocks; default 1,000. Each producing process counts for itself. */
  readonly bound?: number | undefined;
  /** how often a job may fail; default 3 */
  readonly attempts?: number | undefined;
  /** how often a job may lose its worker; default 5, since workers also die for other reasons */
  readonly losses?: number | undefined;
}

export interface QueueLimits {
  readonly leaseMs: number;
  readonly bound: number;
  readonly attempts: number;
  readonly losses: number;
}

/** Settings with their defaults. Errors: `usage` unless all are whole numbers from 1. */
export function queueLimits(settings: QueueSettings): QueueLimits {
  const { leaseMs = 30_000, bound = 1_000, attempts = 3, losses = 5 } = settings;
  const limits = { leaseMs, bound, attempts, losses };
  for (const [name, value] of Object.entries(limits))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new EmacError('usage', `queue: ${name} must be a whole number from 1, got ${value}`);
  return limits;
}

/** Milliseconds between beats, default a third of a lease. Errors: `usage` if a lease might expire in between. */
export function heartbeatOf(every: number | undefined, { leaseMs }: QueueLimits): number {
  if (every === undefined) return leaseMs / 3;
  if (every >= 1 && 2 * every <= leaseMs) return every;
  throw new EmacError(
    'usage',
    `worker: its heartbeat must be from 1 ms to half a lease of ${leaseMs} ms, got ${every}; change one of them`,
  );
}
