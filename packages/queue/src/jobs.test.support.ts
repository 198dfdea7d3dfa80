/** Helpers shared by the queue tests. */
import type { EmacError } from '@emac/core';
import type { Job } from './job.ts';
import type { JobQueue, Lease } from './queue.ts';
import type { WorkerIdentity } from './run-worker.ts';

/** A job named by its seed. */
export function job(seed: number, kind = 'rollout'): Job {
  return { name: { kind, run: 'r1', policy: 'p0', task: 'pick/1', seed, shard: 0 }, input: { seed } };
}

export const jobs = (count: number): Job[] => Array.from({ length: count }, (_, seed) => job(seed));

export function identity(id: string, versions: WorkerIdentity['versions'] = { code: '1' }): WorkerIdentity {
  return { id, host: 'host', pid: 1, versions };
}

/** The next lease; there must be one. */
export async function leased(queue: JobQueue): Promise<Lease> {
  const lease = await queue.lease();
  if (!lease) throw new Error('the queue was closed');
  return lease;
}

/** The error an action throws. */
export async function faultOf(action: Promise<unknown>): Promise<Pick<EmacError, 'code' | 'message'>> {
  const [{ status, reason }] = (await Promise.allSettled([action])) as [PromiseRejectedResult];
  if ((status as string) === 'fulfilled') throw new Error('nothing was thrown');
  return reason as EmacError;
}

/** Repeats the question until the answer is yes; waits long only in a failing test. */
export async function until(question: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await question())) await new Promise((resolve) => setTimeout(resolve, 10));
}
