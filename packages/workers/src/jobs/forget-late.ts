/** What workers had begun for a run that is over leaves the queue when it comes: a result that comes later would stay there. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from '@emac/opening';
import type { JobQueue } from '@emac/queue';
import { forgetAll } from './forget-all.ts';

/** milliseconds between one look and the next */
const lookMs = 100;

/** Waits for as long as there are workers, and nobody stops it; a queue that is away is told of, and spoils nothing. */
export async function forgetLate(
  queue: JobQueue,
  of: { readonly run: string; readonly parts: readonly string[] },
  { signal, listener }: Pick<Host, 'signal' | 'listener'>,
): Promise<void> {
  const late = async (): Promise<boolean> => {
    const runs = await queue.runs();
    return of.parts.some((part) => runs.includes(part)) && (await queue.workers()).length > 0;
  };
  // who cannot be asked is told of by what forgets
  for (let told = false; !signal?.aborted && (await late().catch(() => false)); told = true) {
    if (!told) listener?.note?.('workers end what they had begun to play ahead; nobody learns from it');
    await pause(lookMs);
    await forgetAll(queue, of, listener);
  }
}
