/**
 * Measures or predicts the duration of a run on workers. Without arguments it measures the queue's overhead here,
 * predicts three runs in slow worlds (`cost-model.ts`), and plays them with worker processes on a Redis started here.
 * With arguments, such as `--workers 32 --groups 100 --episodes 64 --episode-ms 20000 --again-ms 300 --update-ms
 * 30000`, it predicts that run. Build, then run `node packages/queue/dist/bench/run-cost.bench.js`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { bullQueue } from '../bull-queue.ts';
import { gather, gatherEach } from '../gather.ts';
import type { Job } from '../job.ts';
import { until } from '../jobs.test.support.ts';
import type { JobQueue } from '../queue.ts';
import { startRedis } from '@emac/testing';
import { groupMs, traffic, type GroupWork, type QueueCosts } from './cost-model.ts';

/** defaults without a measurement: medians of this bench (docs/background/benchmarks.md) */
const usual: QueueCosts = { askMs: 4, jobMs: 1 };
const workerScript = new URL('../worker-process.test.support.js', import.meta.url);

function jobsOf(run: string, episodesMs: readonly number[]): Job[] {
  const name = { kind: 'rollout', run, policy: 'p0', task: 'slow/1', shard: 0 };
  return episodesMs.map((ms, seed) => ({ name: { ...name, seed }, input: { ms } }));
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

async function measuredCosts(queue: JobQueue): Promise<QueueCosts> {
  const alone: number[] = [];
  for (let place = 0; place < 200; place++)
    alone.push(await timed(() => gather(queue, jobsOf(`alone ${place}`, [0]))));
  alone.sort((a, b) => a - b);
  const many = 2_000;
  const jobMs = (await timed(() => gather(queue, jobsOf('many', Array(many).fill(0))))) / many;
  return { askMs: alone[alone.length >> 1]!, jobMs };
}

/** Blocks the thread, as computing does. */
function busy(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function played(queue: JobQueue, run: string, groups: readonly GroupWork[]): Promise<number> {
  return timed(async () => {
    for (const [place, { episodesMs, againMs, updateMs }] of groups.entries()) {
      for await (const _each of gatherEach(queue, jobsOf(`${run} ${place}`, episodesMs))) busy(againMs);
      busy(updateMs);
    }
  });
}

interface SlowRun {
  readonly name: string;
  readonly workers: number;
  readonly groups: readonly GroupWork[];
}

const groupsOf = (count: number, group: GroupWork): GroupWork[] => Array(count).fill(group);
/** from half of `ms` to one and a half */
const spread = (count: number, ms: number): number[] =>
  Array.from({ length: count }, (_, place) => ms * (0.5 + ((place * 7) % 16) / 15));

const slowRuns: readonly SlowRun[] = [
  {
    name: 'equal',
    workers: 8,
    groups: groupsOf(4, { episodesMs: Array(24).fill(1_000), againMs: 0, updateMs: 0 }),
  },
  {
    name: 'uneven, learning',
    workers: 8,
    groups: groupsOf(4, { episodesMs: spread(24, 1_000), againMs: 30, updateMs: 1_500 }),
  },
  {
    name: 'many, bound by the trainer',
    workers: 32,
    groups: groupsOf(2, { episodesMs: spread(64, 1_000), againMs: 60, updateMs: 500 }),
  },
];

const runMs = (groups: readonly GroupWork[], workers: number, costs: QueueCosts): number =>
  groups.reduce((sum, group) => sum + groupMs(group, workers, costs), 0);

async function withWorkers<T>(count: number, act: (queue: JobQueue) => Promise<T>): Promise<T> {
  const redis = await startRedis('--appendfsync', 'always');
  const queue = await bullQueue(redis.url);
  const children = Array.from({ length: count }, (_, id) =>
    fork(workerScript, [redis.url, 'jobs', `w${id}`, '30000', 'input']),
  );
  await until(async () => (await queue.workers()).length === count);
  try {
    return await act(queue);
  } finally {
    const ended = children.map((child) => once(child, 'exit'));
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(ended);
    await queue.close();
    await redis.remove();
  }
}

async function compare(): Promise<void> {
  const costs = await withWorkers(1, measuredCosts);
  console.log(`queue: ${costs.askMs.toFixed(2)} ms a group, ${costs.jobMs.toFixed(2)} ms a job`);
  for (const { name, workers, groups } of slowRuns) {
    const predicted = runMs(groups, workers, costs) / 1000;
    const actual = (await withWorkers(workers, (queue) => played(queue, name, groups))) / 1000;
    const off = (100 * (actual / predicted - 1)).toFixed(1);
    console.log(
      `${name}: ${groups.length} groups of ${groups[0]!.episodesMs.length}, ${workers} workers: ` +
        `predicted ${predicted.toFixed(2)} s, measured ${actual.toFixed(2)} s (${off} %)`,
    );
  }
}

const numbers = [
  'workers',
  'groups',
  'episodes',
  'episode-ms',
  'again-ms',
  'update-ms',
  'ask-ms',
  'job-ms',
] as const;
const sizes = ['version-bytes', 'episode-bytes', 'redis-bytes'] as const;

function predict(given: Readonly<Record<string, string | undefined>>): void {
  const number = (name: (typeof numbers)[number] | (typeof sizes)[number], otherwise: number): number =>
    Number(given[name] ?? otherwise);
  const [workers, groups, episodes] = [number('workers', 1), number('groups', 1), number('episodes', 1)];
  const episodesMs: number[] = Array(episodes).fill(number('episode-ms', 0));
  const group = { episodesMs, againMs: number('again-ms', 0), updateMs: number('update-ms', 0) };
  const costs = {
    askMs: number('ask-ms', usual.askMs),
    jobMs: number('job-ms', usual.jobMs),
  };
  const seconds = runMs(groupsOf(groups, group), workers, costs) / 1000;
  const [versionBytes, episodeBytes] = [number('version-bytes', 0), number('episode-bytes', 0)];
  const moved = traffic({
    groups,
    episodes,
    workers,
    versionBytes,
    episodeBytes,
    redisBytes: number('redis-bytes', 0),
  });
  console.log(`${seconds.toFixed(1)} s; bytes: ${JSON.stringify(moved)}`);
}

if (process.argv.length > 2) {
  const options = Object.fromEntries(
    [...numbers, ...sizes].map((name) => [name, { type: 'string' as const }]),
  );
  predict(parseArgs({ options }).values as Readonly<Record<string, string | undefined>>);
} else await compare();
