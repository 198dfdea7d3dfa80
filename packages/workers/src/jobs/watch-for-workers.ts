/** Warns if a run waits and there are no workers: once for all concurrent requests of a process. */
import { warn, type Host } from '@emac/opening';
import type { JobQueue } from '@emac/queue';

/** milliseconds between checks for workers */
const lookMs = 60_000;

interface Watch {
  /** waiting requests */
  count: number;
  readonly looked: Promise<void>;
  end(): void;
}

const watches = new WeakMap<JobQueue, Watch>();

/** Warns at intervals while there are no workers, until the returned function is called. Errors: those of the queue. */
export async function watchForWorkers(queue: JobQueue, listener: Host['listener']): Promise<() => void> {
  const watch = watches.get(queue) ?? begun(queue, listener);
  watches.set(queue, watch);
  watch.count++;
  const end = (): void => {
    if (--watch.count > 0) return;
    watch.end();
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
  let cancel = (): void => {};
  const next = (): void => {
    cancel = queue.timers.after(lookMs, () => {
      next();
      // the request that waits for results reports an unreachable queue
      void look().catch(() => {});
    });
  };
  next();
  return { count: 0, looked: look(), end: () => cancel() };
}
