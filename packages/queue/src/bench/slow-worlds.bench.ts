/**
 * Measures scaling with slow worlds: jobs wait 2 s, like ten steps of 200 ms, on 1, 2, 8 and 32 worker processes with a
 * Redis started here, four jobs each. Build, then run `node packages/queue/dist/bench/slow-worlds.bench.js`; worker
 * counts are optional arguments.
 */
import { once } from 'node:events';
import { fork } from 'node:child_process';
import { bullQueue } from '../bull-queue.ts';
import { gather } from '../gather.ts';
import { until } from '../jobs.test.support.ts';
import type { JobQueue } from '../queue.ts';
import { startRedis } from '@emac/testing';

const given = process.argv.slice(2).map(Number);
const counts = given.length > 0 ? given : [1, 2, 8, 32];
const [jobMs, jobsEach] = [2_000, 4];
const workerScript = new URL('../worker-process.test.support.js', import.meta.url);

async function measure(queue: JobQueue, workers: number): Promise<string> {
  const name = { kind: 'rollout', run: `of ${workers}`, policy: 'p0', task: 'pick/1', shard: 0 };
  const jobs = Array.from({ length: workers * jobsEach }, (_, seed) => ({
    name: { ...name, seed },
    input: null,
  }));
  const start = performance.now();
  await gather(queue, jobs);
  const ms = performance.now() - start;
  const share = (jobMs * jobsEach) / ms;
  return `${workers} workers: ${jobs.length} episodes of ${jobMs / 1000} s in ${(ms / 1000).toFixed(2)} s, ${share.toFixed(3)} of linear`;
}

const redis = await startRedis('--appendfsync', 'always');
const queue = await bullQueue(redis.url);
for (const workers of counts) {
  const words = (id: number) => [redis.url, 'jobs', `w${id}`, '30000', String(jobMs)];
  const children = Array.from({ length: workers }, (_, id) => fork(workerScript, words(id)));
  await until(async () => (await queue.workers()).length === workers);
  console.log(await measure(queue, workers));
  const ended = children.map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(ended);
}
await queue.close();
await redis.remove();
