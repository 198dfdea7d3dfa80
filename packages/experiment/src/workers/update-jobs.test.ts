/** Results of updates stay as long as a run may ask for them again, and no longer. */
import { join } from 'node:path';
import { runWorker, type Json } from '@emac/queue';
import { expect, it, onTestFinished } from 'vitest';
import { plainHost } from '../training/train.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { updateJobs } from './update-jobs.ts';
import { workerVersions } from './worker-versions.ts';
import { localWorkers } from './workers.test.support.ts';

const folder = temporaryFolder();

it('results of updates long over leave the queue, those of the last hundred are found again', async () => {
  const workers = localWorkers(join(folder, 'kept'), 0);
  const done: number[] = [];
  const stop = new AbortController();
  const identity = { id: 'w', host: 'here', pid: 1, versions: workerVersions() };
  const steps = ({ name }: { readonly name: { readonly seed: number; readonly shard: number } }): Json => {
    done.push(name.seed);
    return { part: name.shard };
  };
  const working = runWorker({ queue: workers.queue, handlers: { steps }, identity, signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await working;
  });
  const of = { kind: 'steps', run: 'r', plan: 'p', task: 't', host: plainHost() } as const;
  const jobs = updateJobs(workers, of);
  const ask = async (update: number) => {
    done.length = 0;
    const inputs = [{}, {}];
    expect(await jobs.done({ update, version: 'v', inputs })).toEqual([{ part: 0 }, { part: 1 }]);
    return [...done];
  };
  expect(await ask(7)).toEqual([7, 7]);
  expect(await ask(107)).toEqual([107, 107]);
  // one that goes on from before asks again
  expect(await ask(7)).toEqual([]);
  expect(await ask(200)).toEqual([200, 200]);
  expect(await ask(107)).toEqual([]);
  expect(await ask(7)).toEqual([7, 7]);
  await jobs.forget(201);
  expect(await ask(107)).toEqual([107, 107]);
  expect(await ask(201)).toEqual([201, 201]);
});
