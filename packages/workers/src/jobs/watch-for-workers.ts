/** Warns if a run waits and there are no workers: once for all concurrent requests of a process. */
import { warn, type Host } from '@emac/opening';
import type { JobQueue } from '@emac/queue';

/** milliseconds between checks for workers */
const lookMs = 60_000;

interface Watch {
  /** waiting requests */
  count: number;
  readonly looked: Promise<void>;
  readonly timer: NodeJS.Timeout;
}

const watches = new WeakMap<JobQueue, Watch>();

/** Warns at intervals while there are no workers, until the returned function is called. Errors: those of the queue. */
export async function watchForWorkers(queue: JobQueue, listener: Host['listener']): Promise<() => void> {
  const watch = watches.get(queue) ?? begun(queue, listener);
  watches.set(queue, watch);
  watch.count++;
  const end = (): void => {
    if (--watch.count > 0) return;
    clearInterval(watch.timer);
    watches.delete(queue);
  };
  try {
    await watch.looked;
  } catch (thrown) {
    end();
    throw thrown;
  }
  return end;
}

function begun(queue: JobQueue, listener: Host['listener']): Watch {
  const look = async (): Promise<void> => {
    if ((await queue.workers()).length > 0) return;
    warn(listener, 'no worker is running: start npx emac worker with the same --queue and --shared');
  };
  // the request that waits for results reports an unreachable queue
  const timer = setInterval(() => void look().catch(() => {}), lookMs);
  return { count: 0, looked: look(), timer };
}
