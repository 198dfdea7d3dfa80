/** Results of updates stay exactly as long as a run may ask for them again. */
import { join } from 'node:path';
import { plainHost } from '@emac/opening';
import { jobId, runWorker, type Handler, type Json } from '@emac/queue';
import { programVersions } from '@emac/settings';
import { expect, it, onTestFinished } from 'vitest';
import { place } from '../place.test.support.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { forgetRun } from './run-names.ts';
import { updateJobs } from './update-jobs.ts';

const folder = temporaryFolder();

function begun(name: string, ahead = 0) {
  const workers = place(join(folder, name));
  const done: number[] = [];
  const stop = new AbortController();
  const identity = { id: 'w', host: 'here', pid: 1, versions: programVersions() };
  const steps = ({ name }: { readonly name: { readonly seed: number; readonly shard: number } }): Json => {
    done.push(name.seed);
    return { part: name.shard };
  };
  const working = runWorker({ queue: workers.queue, handlers: { steps }, identity, signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await working;
  });
  const of = { kind: 'steps', run: 'r', plan: 'p', task: 't', ahead, host: plainHost() } as const;
  return { queue: workers.queue, done, jobs: updateJobs(workers, of) };
}

it('drops results of old updates, finds those of the last hundred again', async () => {
  const { done, jobs } = begun('kept');
  const ask = async (update: number) => {
    done.length = 0;
    const inputs = [{}, {}];
    expect(await jobs.done({ update, version: 'v', inputs })).toEqual([{ part: 0 }, { part: 1 }]);
    return [...done];
  };
  expect(await ask(7)).toEqual([7, 7]);
  expect(await ask(107)).toEqual([107, 107]);
  // a resumed run asks again
  expect(await ask(7)).toEqual([]);
  expect(await ask(200)).toEqual([200, 200]);
  expect(await ask(107)).toEqual([]);
  expect(await ask(7)).toEqual([7, 7]);
  await jobs.forget(201);
  expect(await ask(107)).toEqual([107, 107]);
  expect(await ask(201)).toEqual([201, 201]);
});

it('a conflicting late result stops the run at its end or on resume, until it is forgotten', async () => {
  const { queue, jobs } = begun('disputed');
  const asked = { version: 'v', inputs: [{}] };
  for (const update of [99, 100]) await jobs.done({ ...asked, update });
  await jobs.agreed(101);
  const name = { kind: 'steps', run: 'r.p.steps-0', policy: 'v', task: 't', seed: 99, shard: 0 };
  const lease = { id: jobId(name), job: { name, input: {} }, token: 'x', attempt: 1, versions: null };
  await queue.acknowledge(lease, { part: 'another' });
  const fault = {
    code: 'check-failed',
    message: expect.stringContaining('--forget r and start again') as string,
  };
  for (const ask of [
    () => jobs.agreed(101),
    () => jobs.done({ ...asked, update: 99 }),
    () => jobs.done({ ...asked, update: 200 }),
  ])
    await expect(ask()).rejects.toMatchObject(fault);
  await forgetRun(queue, 'r');
  await jobs.agreed(101);
});

it('drops results requested ahead with the rest', async () => {
  const { queue, done, jobs } = begun('ahead', 2);
  const ask = (update: number) => jobs.done({ update, version: 'v', inputs: [{}] });
  for (const update of [99, 100, 101]) await ask(update);
  // the run ended after 100 updates; two more were requested ahead
  await jobs.forget(100);
  expect(await queue.runs()).toEqual([]);
  for (const update of [99, 101]) await ask(update);
  expect(done).toEqual([99, 100, 101, 99, 101]);
});

it('drops late results of jobs begun before the run ended', async () => {
  const { folder: shared, queue } = place(join(folder, 'late'));
  const stop = new AbortController();
  const over = new AbortController();
  let begin = (): void => {};
  const isBegun = new Promise<void>((resolve) => (begin = resolve));
  let go = (): void => {};
  const mayGo = new Promise<void>((resolve) => (go = resolve));
  const steps: Handler = async () => {
    begin();
    await mayGo;
    return 'late';
  };
  const identity = { id: 'w', host: 'here', pid: 1, versions: programVersions() };
  const working = runWorker({ queue, handlers: { steps }, identity, signal: stop.signal });
  const notes: string[] = [];
  const listener = { note: (line: string) => void (notes.push(line), go()) };
  const host = { listener };
  const of = { kind: 'steps', run: 'r', plan: 'p', task: 't', ahead: 1, host } as const;
  const jobs = updateJobs({ queue, folder: shared }, of);
  const asked = jobs.done(
    { update: 1, version: 'v', inputs: [{}, {}] },
    { signal: over.signal, put: () => {} },
  );
  await isBegun;
  over.abort();
  await expect(asked).rejects.toMatchObject({ code: 'interrupted' });
  // the worker continues once the run waits for it
  await jobs.forget(1);
  expect(notes).toEqual([expect.stringMatching(/^workers finish the episodes/)]);
  expect([await queue.runs(), await queue.counts()]).toEqual([[], { waiting: 0, leased: 0 }]);
  stop.abort();
  expect(await working).toMatchObject({ counted: 1 });
});

it('does not wait for a worker that has left', async () => {
  const { folder: shared, queue } = place(join(folder, 'gone'));
  const over = new AbortController();
  const host = {};
  const of = { kind: 'steps', run: 'r', plan: 'p', task: 't', ahead: 1, host } as const;
  const jobs = updateJobs({ queue, folder: shared }, of);
  let put = (): void => {};
  const isPut = new Promise<void>((resolve) => (put = resolve));
  const asked = jobs.done({ update: 1, version: 'v', inputs: [{}] }, { signal: over.signal, put });
  await isPut;
  expect(await queue.lease()).not.toBeNull();
  over.abort();
  await expect(asked).rejects.toMatchObject({ code: 'interrupted' });
  await jobs.forget(1);
  expect(await queue.counts()).toEqual({ waiting: 0, leased: 1 });
});
