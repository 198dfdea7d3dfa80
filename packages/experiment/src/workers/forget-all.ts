/** What is over leaves the queue. */
import { EmacError } from '@emac/core';
import type { JobQueue } from '@emac/queue';
import { warn, type Host } from '../host.ts';

/** Drops the results under these names; a queue that is away is told of, and spoils nothing. */
export async function forgetAll(
  queue: JobQueue,
  names: readonly string[],
  listener: Host['listener'],
): Promise<void> {
  try {
    for (const name of names) await queue.forget(name);
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    const commands = names.map((name) => `npx emac workers --forget ${name}`).join(' and ');
    warn(listener, `results stay in the queue until ${commands}: ${thrown.message}`);
  }
}
