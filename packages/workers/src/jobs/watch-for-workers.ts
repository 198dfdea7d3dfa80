/** Whoever waits for workers says so when there are none: once for all that one process asks for at a time. */
import { warn, type Host } from '@emac/opening';
import type { JobQueue } from '@emac/queue';

/** milliseconds between one look for workers and the next */
const lookMs = 60_000;

interface Watch {
  /** that wait */
  count: number;
  readonly looked: Promise<void>;
  readonly timer: NodeJS.Timeout;
}

const watches = new WeakMap<JobQueue, Watch>();

/** Says when nobody is there to play, now and again; until the returned function is called. Errors: those of the queue. */
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
    warn(listener, 'no worker is there: start npx emac worker with the same --queue and --shared');
  };
  // a queue that is away is told of by whoever waits for results
  const timer = setInterval(() => void look().catch(() => {}), lookMs);
  return { count: 0, looked: look(), timer };
}
