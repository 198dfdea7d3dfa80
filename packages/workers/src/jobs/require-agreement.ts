/** Workers must agree on every result: the first result was counted. */
import { EmacError } from '@emac/core';
import type { JobQueue } from '@emac/queue';
import { forgetting } from './run-names.ts';

/** Errors: `check-failed` if two workers gave different results in one of a run's parts; those of the queue. */
export async function requireAgreement(
  queue: JobQueue,
  { run, parts }: { readonly run: string; readonly parts: readonly string[] },
): Promise<void> {
  const conflicts = await Promise.all(parts.map((part) => queue.conflicts(part)));
  const [job] = conflicts.flat();
  if (job !== undefined)
    throw new EmacError(
      'check-failed',
      `workers: equal jobs must have equal results, two workers disagree on ${job}; find the one that differs, then ${forgetting(run)} and start again in another folder, since the first result was counted`,
    );
}
