/** Results come in order, and stay exactly as long as a run may ask for them again. */
import { join } from 'node:path';
import { plainHost } from '@emac/opening';
import { jobId, runWorker, type Handler, type JobName } from '@emac/queue';
import { programVersions } from '@emac/settings';
import { expect, it, onTestFinished } from 'vitest';
import { place } from '../place.test.support.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { forgetRun } from './forget-run.ts';
import { workedRun, type AskedJobs } from './worked-run.ts';

const folder = temporaryFolder();
const identity = { id: 'w', host: 'here', pid: 1, versions: programVersions() };
const runOf = (workers: ReturnType<typeof place>, host = plainHost()) =>
  workedRun({ workers, run: 'r', plan: 'p', start: null, task: 't', host });

function begun(name: string) {
  const workers = place(join(folder, name));
  const did: JobName[] = [];
  const stop = new AbortController();
  const play: Handler = ({ name }) => {
    did.push(name);
    return { part: name.shard };
  };
  const working = runWorker({ queue: workers.queue, handlers: { play }, identity, signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await working;
  });
  const run = runOf(workers);
  /** the results, and the number of jobs done for them */
  const ask = async (update: number, more: Partial<AskedJobs> = {}, asks = run) => {
    const before = did.length;
    const jobs = [0, 1].map((shard) => ({ seed: update, shard, input: {} }));
    const asked = { verb: 'play', part: 'updates', update, version: 'v', jobs, ...more } as const;
    for await (const [at, result] of asks.results(asked, async (each) => each))
      expect(result).toEqual({ part: at });
    return did.length - before;
  };
  return { workers, did, run, ask };
}

it('drops results of old updates, finds those of the last hundred again', async () => {
  const { workers, run, ask } = begun('kept');
  expect(await ask(7)).toBe(2);
  expect(await ask(7, { version: 'another' })).toBe(2);
  expect(await ask(107)).toBe(2);
  // a resumed run asks again
  expect(await ask(7)).toBe(0);
  expect(await workers.queue.runs()).toEqual(['r.p.updates-0', 'r.p.updates-100']);
  expect(await ask(200)).toBe(2);
  expect(await workers.queue.runs()).toEqual(['r.p.updates-100', 'r.p.updates-200']);
  expect(await ask(107)).toBe(0);
  expect(await ask(7)).toBe(2);
  await run.forget();
  expect(await workers.queue.runs()).toEqual([]);
  expect(await ask(107)).toBe(2);
});

it('a run resumed midway drops the results its predecessor would have dropped', async () => {
  const { workers, ask } = begun('middle');
  for (const update of [50, 150]) await ask(update);
  expect(await ask(250, {}, runOf(workers))).toBe(2);
  expect(await workers.queue.runs()).toEqual(['r.p.updates-100', 'r.p.updates-200']);
});

it('parts without updates stay until the end', async () => {
  const { workers, run, ask } = begun('parts');
  await ask(0, { part: 'before', update: undefined });
  for (const update of [0, 100, 200, 300]) await ask(update);
  expect(await workers.queue.runs()).toEqual(['r.p.before', 'r.p.updates-200', 'r.p.updates-300']);
  await run.forget();
  expect(await workers.queue.runs()).toEqual([]);
});

it('a conflicting late result stops the run at its end or on resume, until it is forgotten', async () => {
  const { workers, run, ask } = begun('disputed');
  for (const update of [99, 100]) await ask(update);
  await run.agreed();
  const name = { kind: 'play', run: 'r.p.updates-0', policy: 'v', task: 't', seed: 99, shard: 0 };
  const lease = { id: jobId(name), job: { name, input: {} }, token: 'x', attempt: 1, versions: null };
  await workers.queue.acknowledge(lease, { part: 'another' });
  const fault = {
    code: 'check-failed',
    message: expect.stringContaining('--forget r and start again') as string,
  };
  for (const asked of [() => run.agreed(), () => ask(99), () => ask(200)])
    await expect(asked()).rejects.toMatchObject(fault);
  await forgetRun(workers.queue, 'r');
  await run.agreed();
});

it('drops late results of jobs begun before the run ended', async () => {
  const workers = place(join(folder, 'late'));
  const [stop, over] = [new AbortController(), new AbortController()];
  let begin = (): void => {};
  const isBegun = new Promise<void>((resolve) => (begin = resolve));
  let go = (): void => {};
  const mayGo = new Promise<void>((resolve) => (go = resolve));
  const play: Handler = async () => {
    begin();
    await mayGo;
    return 'late';
  };
  const working = runWorker({ queue: workers.queue, handlers: { play }, identity, signal: stop.signal });
  const notes: string[] = [];
  const listener = { note: (line: string) => void (notes.push(line), go()) };
  const run = runOf(workers, { ...plainHost(), listener });
  const asked = abandoned(run, over.signal);
  await isBegun;
  over.abort();
  await expect(asked).rejects.toMatchObject({ code: 'interrupted' });
  // the worker continues once the run waits for it
  await run.forget();
  expect(notes).toEqual([expect.stringMatching(/^workers finish the episodes/)]);
  expect([await workers.queue.runs(), await workers.queue.counts()]).toEqual([[], { waiting: 0, leased: 0 }]);
  stop.abort();
  expect(await working).toMatchObject({ counted: 1 });
});

it('does not wait for a worker that has left', async () => {
  const workers = place(join(folder, 'gone'));
  const over = new AbortController();
  const run = runOf(workers);
  let put = (): void => {};
  const isPut = new Promise<void>((resolve) => (put = resolve));
  const asked = abandoned(run, over.signal, put);
  await isPut;
  expect(await workers.queue.lease()).not.toBeNull();
  over.abort();
  await expect(asked).rejects.toMatchObject({ code: 'interrupted' });
  await run.forget();
  expect(await workers.queue.counts()).toEqual({ waiting: 0, leased: 1 });
});

/** Asks ahead for two jobs. */
async function abandoned(run: ReturnType<typeof runOf>, signal: AbortSignal, put = () => {}): Promise<void> {
  const jobs = [0, 1].map((shard) => ({ seed: 1, shard, input: {} }));
  const asked = {
    verb: 'play',
    part: 'updates',
    update: 1,
    version: 'v',
    jobs,
    asking: { signal, put },
  } as const;
  for await (const _each of run.results(asked, async (each) => each)) expect.unreachable();
}
