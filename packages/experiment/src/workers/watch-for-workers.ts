/** Whoever waits for workers says so when there are none. */
import type { JobQueue } from '@emac/queue';
import { warn, type Host } from '../host.ts';

/** milliseconds between one look for workers and the next */
const lookMs = 60_000;

/** Says when nobody is there to play, now and again; until the returned function is called. */
export async function watchForWorkers(queue: JobQueue, listener: Host['listener']): Promise<() => void> {
  const look = async (): Promise<void> => {
    if ((await queue.workers()).length > 0) return;
    warn(listener, 'no worker is there: start npx emac worker with the same --queue and --shared');
  };
  await look();
  // a queue that is away is told of by whoever waits for results
  const timer = setInterval(() => void look().catch(() => {}), lookMs);
  return () => clearInterval(timer);
}
