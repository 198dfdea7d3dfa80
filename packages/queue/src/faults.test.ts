/**
 * Workers are killed, frozen and busy, Redis is killed, connections are cut: real processes, a real Redis. Needs the
 * build.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { alsoLong, hasRedis, isLong, needsRedis, startRedis, type TestRedis } from '@emac/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bullQueue, type BullQueueOptions } from './bull-queue.ts';
import { gather } from './gather.ts';
import { jobId } from './job.ts';
import { identity, job, jobs, leased, until } from './jobs.test.support.ts';
import { isBuilt, startWorker } from './processes.test.support.ts';
import { listWorkers, type JobQueue } from './queue.ts';
import { runWorker } from './run-worker.ts';

/** jobs that pass a small bound */
const many = isLong ? 10_000 : 1_000;

let redis: TestRedis;
let count = 0;

async function opened(url: string, options: BullQueueOptions = {}): Promise<JobQueue> {
  const queue = await bullQueue(url, { leaseMs: 1_000, losses: 100, ...options });
  onTestFinished(() => queue.close());
  return queue;
}

const squares = (number: number) => Array.from({ length: number }, (_, seed) => ({ squared: seed * seed }));

describe.skipIf(!hasRedis || !isBuilt)(`faults (${needsRedis}, and the build)`, () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());

  const place = () => ({ url: redis.url, name: `f${++count}` });

  it('replaces a worker killed mid-job, and counts the job once', async () => {
    const at = { ...place(), leaseMs: 3_000 };
    const queue = await opened(at.url, at);
    const results = gather(queue, jobs(3));
    const killed = startWorker(at, 'killed');
    await killed.hasBegun(1);
    expect(killed.began).toEqual([0]);
    killed.kill('SIGKILL');
    const other = startWorker(at, 'other');
    for (let done = 1; done <= 3; done++) {
      await other.hasBegun(done);
      other.tell({ end: true });
    }
    expect(await results).toEqual(squares(3));
    expect([...other.began].sort()).toEqual([0, 1, 2]);
    // its place in the list of workers expires
    await until(async () => (await listWorkers(queue)).length === 1);
    other.kill('SIGTERM');
    await other.ended();
    expect(other.left).toEqual([{ counted: 3, duplicate: 0, different: 0, failed: 0 }]);
    expect(await queue.counts()).toEqual({ waiting: 0, leased: 0 });
  });

  it("counts a frozen worker's late result as a duplicate", async () => {
    const at = place();
    const queue = await opened(at.url, at);
    await queue.put([job(5)]);
    const frozen = startWorker(at, 'frozen');
    await frozen.hasBegun(1);
    frozen.kill('SIGSTOP');
    // its lease expires, and this worker gets the job
    const other = await leased(queue);
    expect([other.job, other.attempt]).toEqual([job(5), 2]);
    expect(await queue.acknowledge(other, { squared: 25 })).toBe('counted');
    frozen.kill('SIGCONT');
    frozen.tell({ end: true });
    frozen.kill('SIGTERM');
    await frozen.ended();
    expect(frozen.left).toEqual([{ counted: 0, duplicate: 1, different: 0, failed: 0 }]);
    expect(await queue.outcomes([jobId(job(5).name)])).toEqual([{ result: { squared: 25 } }]);
    expect(await queue.conflicts('r1')).toEqual([]);
  });

  it('keeps the lease of a handler that blocks its thread for many leases', async () => {
    const at = { ...place(), leaseMs: 2_000 };
    const queue = await opened(at.url, at);
    await queue.put([job(6)]);
    const busy = startWorker(at, 'busy');
    await busy.hasBegun(1);
    busy.tell({ busy: 6_000 });
    // no other worker gets the job meanwhile: three times a lease's length
    const stop = new AbortController();
    const other = queue.lease({ signal: stop.signal });
    await until(async () => (await queue.outcomes([jobId(job(6).name)]))[0] !== null);
    stop.abort();
    expect(await other).toBeNull();
    busy.kill('SIGTERM');
    await busy.ended();
    expect(busy.left).toEqual([{ counted: 1, duplicate: 0, different: 0, failed: 0 }]);
  });

  it.each(['always', ...alsoLong(['everysec'])])(
    'loses no result when Redis is killed and restarted, appendfsync %s',
    async (sync) => {
      const own = await startRedis('--appendfsync', sync);
      onTestFinished(() => own.remove());
      const at = { url: own.url, name: 'jobs' };
      const queue = await opened(at.url, { bound: 50 });
      const workers = ['a', 'b'].map((id) => startWorker(at, id, 'go'));
      let done = 0;
      const results = gather(queue, jobs(600), { report: (number) => (done = number), recheckMs: 500 });
      for (const moment of [50, ...alsoLong([200]), 350]) {
        await until(() => done >= moment);
        await own.kill();
        await own.restart();
      }
      expect(await results).toEqual(squares(600));
      expect(done).toBe(600);
      expect(await queue.conflicts('r1')).toEqual([]);
      await until(async () => (await queue.counts()).waiting + (await queue.counts()).leased === 0);
      for (const worker of workers) worker.kill('SIGTERM');
      await Promise.all(workers.map((worker) => worker.ended()));
      const tallies = workers.map(({ left }) => left[0] as { counted: number; different: number });
      expect(tallies.map(({ different }) => different)).toEqual([0, 0]);
      // everysec may lose results of the last two seconds; these jobs are run and counted again. `always` loses none
      if (sync === 'always') expect(tallies[0]!.counted + tallies[1]!.counted).toBeLessThanOrEqual(600);
      if (sync === 'always')
        expect(await queue.outcomes(jobs(600).map(({ name }) => jobId(name)))).toEqual(
          squares(600).map((result) => ({ result })),
        );
    },
  );

  it.runIf(isLong)('loses only time when connections are cut repeatedly', async () => {
    const line = await cuttableLine(redis.port);
    const at = { url: `redis://127.0.0.1:${line.port}`, name: place().name };
    const queue = await opened(at.url, { ...at, bound: 20 });
    const stop = new AbortController();
    const worker = runWorker({
      queue,
      identity: identity('w'),
      heartbeat: 100,
      signal: stop.signal,
      handlers: { rollout: ({ name }) => ({ squared: name.seed ** 2 }) },
    });
    let done = 0;
    const results = gather(queue, jobs(300), { report: (number) => (done = number), recheckMs: 500 });
    for (let moment = 20; moment <= 280; moment += 20) {
      await until(() => done >= moment);
      line.cut();
    }
    expect(await results).toEqual(squares(300));
    stop.abort();
    const late = setTimeout(
      () => expect.fail('the worker has not left in half the time of a dead connection'),
      10_000,
    );
    const { counted, duplicate, different, failed } = await worker;
    clearTimeout(late);
    expect([different, failed]).toEqual([0, 0]);
    expect(counted + duplicate).toBeGreaterThanOrEqual(300);
    expect(await queue.conflicts('r1')).toEqual([]);
  });

  it(`passes ${many} jobs through a bound of a hundred, and never holds more in Redis`, async () => {
    const { Redis } = await import('ioredis');
    const at = place();
    const queue = await opened(at.url, { ...at, bound: 100, leaseMs: 30_000 });
    const direct = new Redis(at.url);
    onTestFinished(() => direct.disconnect());
    const stop = new AbortController();
    let most = 0;
    const look = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const keys = await direct.keys(`emac:${at.name}:*`);
        most = Math.max(most, keys.filter((key) => key.includes('rollout/')).length);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const looking = look();
    const worker = runWorker({
      queue,
      identity: identity('w'),
      signal: stop.signal,
      handlers: { rollout: ({ name }) => ({ squared: name.seed ** 2 }) },
    });
    expect(await gather(queue, jobs(many))).toEqual(squares(many));
    stop.abort();
    await Promise.all([looking, worker]);
    // a hundred waiting jobs, the current one and its lock
    expect(most).toBeGreaterThan(50);
    expect(most).toBeLessThanOrEqual(102);
  });
});

/** A port forwarder whose connections can be cut. */
async function cuttableLine(port: number) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of [...sockets]) socket.resetAndDestroy();
  };
  onTestFinished(() => {
    server.close();
    cut();
  });
  return { port: (server.address() as AddressInfo).port, cut };
}
