/** A job whose plan is gone is given up; the worker goes on with the others. */
import { join } from 'node:path';
import { plainHost } from '@emac/opening';
import { gather, type Job, type SharedFolder } from '@emac/queue';
import { expect, it, onTestFinished } from 'vitest';
import { place } from './place.test.support.ts';
import { carried, carry } from './plan/carried.ts';
import { storePlan } from './plan/plan.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';
import { workWith } from './work.ts';

const folder = temporaryFolder();

/** One step an episode: its number. */
const players = {
  stepped: () => Promise.reject(new Error('plays records only')),
  episodes: () => ({
    async *play(episode: number) {
      yield episode;
    },
    pack: async (step: unknown) => step,
    unpack: (step: unknown) => step,
  }),
};

function working(name: string) {
  const workers = place(join(folder, name));
  // a file that is not there is looked for again, after seconds
  const timers = { after: (_ms: number, action: () => void) => (queueMicrotask(action), () => {}) };
  const shared: SharedFolder = { ...workers.folder, timers };
  const stop = new AbortController();
  const begin = () => {
    const host = plainHost({ signal: stop.signal });
    const identity = { id: 'w', host: 'here', pid: 1 };
    return workWith(players, { queue: workers.queue, folder: shared, identity, host });
  };
  onTestFinished(() => stop.abort());
  return { ...workers, begin, stop };
}

const jobOf = async (shared: SharedFolder, plan: string, start: string | null = null): Promise<Job> => {
  const name = { kind: 'play', run: plan.slice(0, 4), policy: 'p', task: 't', seed: 0, shard: 0 };
  return { name, input: { plan, start, asked: await carry(shared, { first: 3, count: 1 }) } };
};

const planOf = (shared: SharedFolder): string => {
  const policy = { identity: null, computing: null };
  return storePlan(shared, { plays: 'records', config: { env: 'e' }, policy, host: {} });
};

it.each([
  ['that is gone', () => '0'.repeat(64), 'does not exist'],
  ['that is none', (shared: SharedFolder) => shared.put(Buffer.from('{"plays":"valueOf"}')), 'is no plan'],
  ['that is no text of ours', (shared: SharedFolder) => shared.put(Buffer.from('{')), 'another program'],
])('gives up a job with a plan %s, and does the others', async (_what, bad, words) => {
  const { queue, folder: shared, begin, stop } = working(words);
  const good = await jobOf(shared, planOf(shared));
  const ended = begin();
  await expect(gather(queue, [await jobOf(shared, bad(shared))])).rejects.toMatchObject({
    code: 'interrupted',
    message: expect.stringContaining(words) as string,
  });
  const [result] = await gather(queue, [good]);
  expect(await carried(shared, result!)).toEqual([[3]]);
  stop.abort();
  expect(await ended).toMatchObject({ counted: 1, failed: 3 });
});

it('gives up a job whose start is gone', async () => {
  const { queue, folder: shared, begin } = working('start');
  const job = await jobOf(shared, planOf(shared), '1'.repeat(64));
  void begin();
  await expect(gather(queue, [job])).rejects.toMatchObject({ code: 'interrupted' });
});

it('ends with 78 in a folder that no trainer uses, and leaves the job to others', async () => {
  const { queue, folder: shared, begin } = working('another');
  await queue.put([await jobOf(shared, '0'.repeat(64))]);
  await expect(begin()).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining('cannot play for this run') as string,
  });
  expect(await queue.counts()).toEqual({ waiting: 1, leased: 0 });
});
