/** A worker in a process of its own that does the jobs of one gathering after another: `fork` it and send it places. */
import { setTimeout as pause } from 'node:timers/promises';
import { bullQueue, runWorker } from '@emac/queue';
import { squared } from './gathering.ts';

export interface ToWorker {
  readonly url: string;
  readonly name: string;
  readonly leaseMs: number;
  readonly jobMs: number;
}

export type FromWorker = 'ready' | 'begun' | 'left';

const say = (word: FromWorker): void => void process.send!(word);
let stop = new AbortController();

process.on('message', (message: ToWorker | 'leave') => {
  if (message === 'leave') stop.abort();
  else
    work(message).catch((thrown: unknown) => {
      process.stderr.write(
        `${String((thrown as Error).cause instanceof Error ? ((thrown as Error).cause as Error).stack : thrown)}\n`,
      );
      process.exit(69);
    });
});

async function work({ url, name, leaseMs, jobMs }: ToWorker): Promise<void> {
  stop = new AbortController();
  const { signal } = stop;
  const queue = await bullQueue(url, { name, leaseMs, losses: 100 });
  const square = async (job: Parameters<typeof squared>[0]) => {
    say('begun');
    await pause(jobMs);
    return squared(job);
  };
  const identity = { id: String(process.pid), host: 'here', pid: process.pid, versions: {} };
  await runWorker({ queue, identity, handlers: { square }, signal });
  await queue.close();
  say('left');
}

say('ready');
