/**
 * Measures a job's overhead: one at a time, and ten thousand at once, in the process and on BullMQ with a Redis started
 * here (append-only file; skipped without redis-server). Run `npx nx bench queue`; job counts are optional arguments.
 */
import { once } from 'node:events';
import { fork } from 'node:child_process';
import { bullQueue } from '../bull-queue.ts';
import { timerClock } from '../clock.ts';
import { gather } from '../gather.ts';
import type { Job } from '../job.ts';
import { localQueue } from '../local-queue.ts';
import { hasRedis, startRedis } from '@emac/testing';
import { runWorker } from '../run-worker.ts';
import type { JobQueue } from '../queue.ts';

const many = Number(process.argv[2] ?? 10_000);
const oneByOne = Number(process.argv[3] ?? 500);
const workerScript = new URL('../worker-process.test.support.js', import.meta.url);

function jobs(run: string, count: number): Job[] {
  const name = { kind: 'rollout', run, policy: 'p0', task: 'pick/1', shard: 0 };
  return Array.from({ length: count }, (_, seed) => ({ name: { ...name, seed }, input: { maxSteps: 50 } }));
}

/** Milliseconds of a single job from `gather` to its result: median and 95 %. */
async function latency(queue: JobQueue): Promise<string> {
  const times: number[] = [];
  for (const job of jobs('alone', oneByOne)) {
    const start = performance.now();
    await gather(queue, [job]);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return `${times[oneByOne >> 1]!.toFixed(2)} ms (median), ${times[Math.floor(oneByOne * 0.95)]!.toFixed(2)} ms (95 %)`;
}

async function measure(title: string, queue: JobQueue): Promise<void> {
  await gather(queue, jobs('warm', 100));
  console.log(`${title}: one job ${await latency(queue)}`);
  const before = process.memoryUsage().heapUsed;
  const start = performance.now();
  await gather(queue, jobs('many', many));
  const seconds = (performance.now() - start) / 1000;
  const grown = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  console.log(
    `${title}: ${many} jobs in ${seconds.toFixed(1)} s, ${Math.round(many / seconds)} a second, ` +
      `${((1000 * seconds) / many).toFixed(2)} ms each; heap ${grown < 0 ? '' : '+'}${grown.toFixed(0)} MiB`,
  );
}

async function inProcess(): Promise<void> {
  const queue = localQueue({ clock: timerClock(() => performance.now()) });
  const stop = new AbortController();
  const identity = { id: 'w', host: 'here', pid: process.pid, versions: {} };
  const handlers = { rollout: ({ name }: Job) => name.seed };
  const worker = runWorker({ queue, handlers, identity, signal: stop.signal });
  await measure('in the process', queue);
  stop.abort();
  await worker;
  await queue.close();
}

async function onRedis(workers: number): Promise<void> {
  const redis = await startRedis();
  const queue = await bullQueue(redis.url);
  const words = (id: number) => [redis.url, 'jobs', `w${id}`, '30000', 'go'];
  const children = Array.from({ length: workers }, (_, id) => fork(workerScript, words(id)));
  await measure(`on BullMQ, ${workers} worker${workers > 1 ? 's' : ''}`, queue);
  const ended = children.map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(ended);
  await queue.close();
  await redis.remove();
}

await inProcess();
if (hasRedis) for (const workers of [1, 2]) await onRedis(workers);
else console.log('on BullMQ: skipped, redis-server is not installed');
