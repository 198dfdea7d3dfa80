/**
 * Kills workers and Redis, and freezes workers, at random moments of a gathering: results equal those of an undisturbed
 * one. Four faults per gathering; `FAST_CHECK_RUNS=25` makes a hundred of them. Needs the build.
 */
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bullQueue } from './bull-queue.ts';
import { gather } from './gather.ts';
import { jobs, until } from './jobs.test.support.ts';
import { isBuilt, startWorker, type WorkerProcess } from './processes.test.support.ts';
import { hasRedis, needsRedis, startRedis, type TestRedis } from '@emac/testing';

const [count, faultsAtOnce] = [120, 4];

const fault = fc.record({
  what: fc.constantFrom('kill a worker', 'freeze a worker', 'kill Redis'),
  /** after so many results */
  moment: fc.integer({ min: 1, max: count - 20 }),
  /** frozen until so many more */
  length: fc.integer({ min: 1, max: 20 }),
});

type Fault = typeof fault extends fc.Arbitrary<infer F> ? F : never;

/** Does one fault when its moment has come. */
async function commit(fault: Fault, redis: TestRedis, workers: WorkerProcess[], done: () => number) {
  await until(() => done() >= fault.moment);
  if (fault.what === 'kill Redis') {
    await redis.kill();
    return redis.restart();
  }
  const worker = workers.shift()!;
  if (fault.what === 'kill a worker') {
    worker.kill('SIGKILL');
    await worker.ended();
    workers.push(startWorker({ url: redis.url, name: 'jobs' }, `worker ${fault.moment}`, 5));
    return;
  }
  workers.push(worker);
  worker.kill('SIGSTOP');
  await until(() => done() >= fault.moment + fault.length);
  worker.kill('SIGCONT');
}

describe.skipIf(!hasRedis || !isBuilt)(`random faults (${needsRedis}, and the build)`, () => {
  it('do not change gathered results', async () => {
    const faults = fc.array(fault, { minLength: faultsAtOnce, maxLength: faultsAtOnce });
    await fc.assert(
      fc.asyncProperty(faults, async (some) => {
        const redis = await startRedis('--appendfsync', 'always');
        onTestFinished(() => redis.remove());
        const queue = await bullQueue(redis.url, { leaseMs: 1_000, losses: 100, bound: 30 });
        const place = { url: redis.url, name: 'jobs' };
        const workers = ['a', 'b', 'c'].map((id) => startWorker(place, id, 5));
        let done = 0;
        const results = gather(queue, jobs(count), { report: (number) => (done = number), recheckMs: 1_000 });
        const inOrder = [...some].sort((a, b) => a.moment - b.moment);
        for (const each of inOrder) await commit(each, redis, workers, () => done);
        expect(await results).toEqual(jobs(count).map(({ name }) => ({ squared: name.seed ** 2 })));
        expect(await queue.conflicts('r1')).toEqual([]);
        await until(async () => (await queue.counts()).waiting + (await queue.counts()).leased === 0);
        for (const worker of workers) worker.kill('SIGKILL');
        await Promise.all(workers.map((worker) => worker.ended()));
        await queue.close();
        await redis.remove();
      }),
      { numRuns: 1, seed: 19 },
    );
  });
});
