/**
 * A worker as a process of its own, which tests start, freeze and kill. Its words: the address of Redis, the queue's name, an
 * id, how long leases last, and what a job does: `wait` tells the parent which one has begun and ends when the parent says
 * so (`{ end: true }`, or `{ busy: ms }` for a thread that does nothing else for so long); `go` ends at once, a number after so
 * many milliseconds, `input` after those that its input says. SIGTERM lets it end the job at hand and leave.
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

/** Nothing else happens in this thread for so long, as in a large product of matrices. */
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
