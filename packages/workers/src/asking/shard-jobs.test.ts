/** Shards come in order; their results stay exactly as long as a run may ask for them again. */
import { join } from 'node:path';
import { jobId, runWorker, type Handler } from '@emac/queue';
import { programVersions } from '@emac/settings';
import { expect, it, onTestFinished } from 'vitest';
import { forgetRun } from '../jobs/run-names.ts';
import { place } from '../place.test.support.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { shardJobs } from './shard-jobs.ts';

const folder = temporaryFolder();

function begun(name: string) {
  const { queue, folder: shared } = place(join(folder, name));
  const done: string[] = [];
  const stop = new AbortController();
  const identity = { id: 'w', host: 'here', pid: 1, versions: programVersions() };
  const gradient: Handler = ({ name: { task } }) => {
    done.push(task);
    return { gradient: `of ${task}` };
  };
  const working = runWorker({ queue, handlers: { gradient }, identity, signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await working;
  });
  const of = { kind: 'gradient', run: 'r', plan: 'p', listener: undefined } as const;
  const jobs = shardJobs({ queue, folder: shared }, of);
  /** the results, and the shards computed for them */
  const ask = async (shards: readonly string[], policy = 'v') => {
    done.length = 0;
    const come: string[] = [];
    const asked = { policy, shards, input: {}, signal: undefined };
    for await (const found of jobs.gradients(asked, async (hash) => hash)) come.push(found);
    return { come, computed: [...done].sort() };
  };
  return { queue, jobs, ask };
}

it('finds several gradients of an update again, but recomputes those of old updates', async () => {
  const { queue, jobs, ask } = begun('kept');
  const first = { come: ['of b', 'of a'], computed: ['a', 'b'] };
  const again = { ...first, computed: [] };
  jobs.at(7);
  expect(await ask(['b', 'a'])).toEqual(first);
  expect(await ask(['b', 'a'])).toEqual(again);
  expect(await ask(['b', 'a'], 'another version')).toEqual(first);
  jobs.at(107);
  expect(await ask(['c'])).toEqual({ come: ['of c'], computed: ['c'] });
  // a resumed run asks again
  jobs.at(7);
  expect(await ask(['b', 'a'])).toEqual(again);
  expect(await queue.runs()).toEqual(['r.p.gradients-0', 'r.p.gradients-100']);
  jobs.at(200);
  expect(await ask(['d'])).toEqual({ come: ['of d'], computed: ['d'] });
  expect(await queue.runs()).toEqual(['r.p.gradients-100', 'r.p.gradients-200']);
  jobs.at(201);
  await jobs.forget();
  expect(await queue.runs()).toEqual([]);
});

it('a run resumed midway drops the results its predecessor would have dropped', async () => {
  const { queue, jobs, ask } = begun('middle');
  for (const update of [50, 150]) {
    jobs.at(update);
    await ask(['a']);
  }
  const others = shardJobs(
    { queue, folder: place(join(folder, 'others')).folder },
    { kind: 'gradient', run: 'r', plan: 'p', listener: undefined },
  );
  others.at(250);
  const asked = { policy: 'v', shards: ['a'], input: {}, signal: undefined };
  for await (const found of others.gradients(asked, async (hash) => hash)) expect(found).toBe('of a');
  expect(await queue.runs()).toEqual(['r.p.gradients-100', 'r.p.gradients-200']);
});

it('a conflicting late result stops the run at its end or on resume, until it is forgotten', async () => {
  const { queue, jobs, ask } = begun('disputed');
  for (const update of [99, 100]) {
    jobs.at(update);
    await ask(['a']);
  }
  jobs.at(101);
  await jobs.agreed();
  const name = { kind: 'gradient', run: 'r.p.gradients-0', policy: 'v', task: 'a', seed: 0, shard: 0 };
  const lease = { id: jobId(name), job: { name, input: {} }, token: 'x', attempt: 1, versions: null };
  await queue.acknowledge(lease, { gradient: 'another' });
  const fault = {
    code: 'check-failed',
    message: expect.stringContaining('--forget r and start again') as string,
  };
  await expect(jobs.agreed()).rejects.toMatchObject(fault);
  for (const update of [99, 200]) {
    jobs.at(update);
    await expect(ask(['a'])).rejects.toMatchObject(fault);
  }
  await forgetRun(queue, 'r');
  await jobs.agreed();
});
