/** Removes finished results from the queue. */
import { EmacError } from '@emac/core';
import { warn, type Host } from '@emac/opening';
import type { JobQueue } from '@emac/queue';
import { forgetting } from './run-names.ts';

/** Drops the results of parts of a run; an unreachable queue is reported, not thrown. */
export async function forgetAll(
  queue: JobQueue,
  { run, parts }: { readonly run: string; readonly parts: readonly string[] },
  listener: Host['listener'],
): Promise<void> {
  try {
    for (const part of parts) await queue.forget(part);
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    warn(listener, `results stay in the queue until ${forgetting(run)}: ${thrown.message}`);
  }
}
