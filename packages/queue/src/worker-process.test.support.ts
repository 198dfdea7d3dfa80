/**
 * A worker process that tests start, freeze and kill. Arguments: the address of Redis, the queue's name, an id, the
 * length of leases, and the work of a job. `wait` reports each begun job to the parent and ends when told to (`{ end:
 * true }`, or `{ busy: ms }` to block the thread for so long). `go` ends at once, a number after so many milliseconds,
 * `input` after the time in its input. On SIGTERM it finishes the current job and leaves.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { bullQueue } from './bull-queue.ts';
import type { Json } from './json.ts';
import { runWorker } from './run-worker.ts';

export interface ToWorker {
  readonly end?: boolean;
  readonly busy?: number;
}

export interface FromWorker {
  readonly began?: number;
  readonly left?: Json;
}

const [url, name, id, leaseMs, wait] = process.argv.slice(2) as [string, string, string, string, string];
const say = (message: FromWorker): void => void process.send!(message);
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());

let told = (_message: ToWorker): void => {};
process.on('message', (message: ToWorker) => told(message));

/** Blocks the thread, like a large matrix product. */
function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const queue = await bullQueue(url, { name, leaseMs: Number(leaseMs), losses: 100 });
const summary = await runWorker({
  queue,
  identity: { id, host: 'host', pid: process.pid, versions: { code: '1' } },
  heartbeat: Number(leaseMs) / 4,
  signal: stop.signal,
  handlers: {
    async rollout({ name: { seed }, input }) {
      if (wait === 'wait') {
        const ends = new Promise<ToWorker>((tell) => (told = tell));
        say({ began: seed });
        blockFor((await ends).busy ?? 0);
      }
      const ms = wait === 'input' ? (input as { readonly ms: number }).ms : Number(wait);
      if (ms > 0) await pause(ms);
      return { squared: seed * seed };
    },
  },
});
await queue.close();
say({ left: { ...summary } });
process.disconnect();
