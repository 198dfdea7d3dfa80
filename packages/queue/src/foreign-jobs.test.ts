/** What another program writes into the queue's Redis: it ends no worker and no list of workers. */
import { hasRedis, needsRedis, startRedis, type TestRedis } from '@emac/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bullQueue } from './bull-queue.ts';
import { gather } from './gather.ts';
import { jobId } from './job.ts';
import { faultOf, identity, job, jobs } from './jobs.test.support.ts';
import { listWorkers } from './queue.ts';
import { runWorker } from './run-worker.ts';

let redis: TestRedis;

/** Data of jobs as BullMQ stores them, by their ids. */
const foreign = {
  'no/json': '{"job":',
  null: 'null',
  number: '7',
  empty: '{}',
  'no name': '{"job":{"input":1},"versions":null}',
  'no/%E0%A4%A': '{"job":{"name":{},"input":1},"versions":null}',
  'another id': JSON.stringify({ job: job(1), versions: null }),
  [jobId(job(2).name)]: JSON.stringify({ job: job(2), versions: 3 }),
};

describe.skipIf(!hasRedis)(`a queue that another program writes to (${needsRedis})`, () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());

  it('drops entries that are no jobs, and goes on with the others', async () => {
    const { Redis } = await import('ioredis');
    const { Queue } = await import('bullmq');
    const direct = new Redis(redis.url, { maxRetriesPerRequest: null });
    const queue = await bullQueue(redis.url, { name: 'foreign' });
    const bull = new Queue('foreign', { connection: direct, prefix: 'emac' });
    const stop = new AbortController();
    try {
      for (const [id, data] of Object.entries(foreign)) {
        await bull.add('rollout', {}, { jobId: id });
        await direct.hset(bull.toKey(id), 'data', data);
      }
      // a kind that no worker knows fails by itself
      await queue.put([job(9, 'other')]);
      await direct.sadd('emac-jobs:foreign:workers', 'w0');
      await direct.set('emac-jobs:foreign:workers:w0', 'no report');
      const ended = runWorker({
        queue,
        identity: identity('w1'),
        signal: stop.signal,
        handlers: { rollout: ({ name }) => ({ squared: name.seed ** 2 }) },
      });
      expect(await gather(queue, jobs(2))).toEqual([{ squared: 0 }, { squared: 1 }]);
      expect((await listWorkers(queue)).map(({ id }) => id)).toEqual(['w1']);
      expect(await faultOf(gather(queue, [job(9, 'other')]))).toMatchObject({
        code: 'interrupted',
        message: expect.stringContaining('has no handler for other') as string,
      });
      stop.abort();
      expect(await ended).toMatchObject({ counted: 2 });
      expect(await queue.counts()).toEqual({ waiting: 0, leased: 0 });
      expect(await bull.getRanges(['wait', 'active', 'completed', 'failed'], 0, -1)).toEqual([]);
      await direct.set('emac-jobs:foreign:versions', '{');
      expect(await faultOf(queue.announced())).toMatchObject({ code: 'data' });
    } finally {
      stop.abort();
      await bull.close();
      await queue.close();
      direct.disconnect();
    }
  });
});
