/** Drops late results of a finished run: jobs its workers had already begun would otherwise stay in the queue. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from '@emac/opening';
import type { JobQueue } from '@emac/queue';
import { forgetAll } from './forget-all.ts';

/** milliseconds between checks */
const lookMs = 100;

/** Waits while there are workers, until stopped; an unreachable queue is reported, not thrown. */
export async function forgetLate(
  queue: JobQueue,
  of: { readonly run: string; readonly parts: readonly string[] },
  { signal, listener }: Pick<Host, 'signal' | 'listener'>,
): Promise<void> {
  const late = async (): Promise<boolean> => {
    const runs = await queue.runs();
    return of.parts.some((part) => runs.includes(part)) && (await queue.workers()).length > 0;
  };
  // `forgetAll` reports an unreachable queue
  for (let told = false; !signal?.aborted && (await late().catch(() => false)); told = true) {
    if (!told)
      listener?.note?.('workers finish the episodes that they play ahead; nothing learns from these');
    await pause(lookMs);
    await forgetAll(queue, of, listener);
  }
}
