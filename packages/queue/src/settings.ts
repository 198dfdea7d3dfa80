/** The limits of a queue, with their defaults. */
import { EmacError } from '@emac/core';

export interface QueueSettings {
  /** how long a lease lasts without being renewed, in milliseconds; default 30,000 */
  readonly leaseMs?: number | undefined;
  /** how many jobs may wait before `put` does; default 1,000. Each process that puts counts on its own. */
  readonly bound?: number | undefined;
  /** how often a job may fail; default 3 */
  readonly attempts?: number | undefined;
  /** how often a job may lose its worker; default 5: workers are also killed for reasons that are not the job's */
  readonly losses?: number | undefined;
}

export interface QueueLimits {
  readonly leaseMs: number;
  readonly bound: number;
  readonly attempts: number;
  readonly losses: number;
}

/** Settings with their defaults. Errors: `usage` for what is no whole number from 1. */
export function queueLimits(settings: QueueSettings): QueueLimits {
  const { leaseMs = 30_000, bound = 1_000, attempts = 3, losses = 5 } = settings;
  const limits = { leaseMs, bound, attempts, losses };
  for (const [name, value] of Object.entries(limits))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new EmacError('usage', `queue: ${name} must be a whole number from 1, got ${value}`);
  return limits;
}

/** Milliseconds from beat to beat, default a third of a lease. Errors: `usage` where a lease might expire between two. */
export function heartbeatOf(every: number | undefined, { leaseMs }: QueueLimits): number {
  if (every === undefined) return leaseMs / 3;
  if (every >= 1 && 2 * every <= leaseMs) return every;
  throw new EmacError(
    'usage',
    `worker: its heartbeat must be from 1 ms to half a lease of ${leaseMs} ms, got ${every}; change one of them`,
  );
}
