/**
 * BullMQ as the line of jobs: waiting jobs, leases and their expiry, failure counts. BullMQ's lock is the lease; jobs
 * leave BullMQ when they end, since outcomes are stored beside it (`outcomes.ts`).
 */
import type { Job as BullJob, Queue as BullQueue, Worker as BullWorker } from 'bullmq';
import type { Job } from '../job.ts';
import type { QueueLimits } from '../settings.ts';
import type { RedisConnection } from './connection.ts';
import { loadBullmq } from './load.ts';

/** A job's entry in BullMQ. */
export interface Envelope {
  readonly job: Job;
  readonly versions: string | null;
}

export type Held = BullJob<Envelope, null, string>;

/** seconds an idle worker waits for a job before it checks for a stop */
const idleSeconds = 1;
/** BullMQ's event log, which is unused */
const keptEvents = 100;
export const prefix = 'emac';

/** Opens the queue `name` of BullMQ. Errors: `unavailable`. */
export async function openBullJobs(connection: RedisConnection, name: string, limits: QueueLimits) {
  const { Queue, Worker } = await loadBullmq();
  const shared = { connection: connection.redis, prefix };
  const queue: BullQueue<Envelope, null, string> = new Queue(name, {
    ...shared,
    streams: { events: { maxLen: keptEvents } },
  });
  const worker: BullWorker<Envelope, null, string> = new Worker(name, null, {
    ...shared,
    autorun: false,
    drainDelay: idleSeconds,
    lockDuration: limits.leaseMs,
    stalledInterval: Math.max(1, Math.ceil(limits.leaseMs / 2)),
    maxStalledCount: limits.losses - 1,
  });
  // failed commands throw at their call
  queue.on('error', () => {});
  worker.on('error', () => {});
  await queue.waitUntilReady();
  return { queue, worker };
}

export type OpenBull = Awaited<ReturnType<typeof openBullJobs>>;
