/** Results one by one, as workers return them. */
import { EmacError } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { gather, gatherEach } from './gather.ts';
import { timerClock } from './clock.ts';
import { faultOf, identity, jobs } from './jobs.test.support.ts';
import { localQueue } from './local-queue.ts';
import { runWorker, type Handler } from './run-worker.ts';

const open = () => localQueue({ clock: timerClock(() => performance.now()) });
const square: Handler = ({ name: { seed } }) => ({ squared: seed * seed });

describe('results as they come', () => {
  it('are reported once each, with their indices, before the last one is there', async () => {
    const queue = open();
    let release = (): void => {};
    const last = new Promise<void>((resolve) => (release = resolve));
    const rollout: Handler = async (job, context) => {
      if (job.name.seed === 0) await last;
      return square(job, context);
    };
    const stop = new AbortController();
    const workers = ['a', 'b'].map((id) =>
      runWorker({ queue, handlers: { rollout }, identity: identity(id), signal: stop.signal }),
    );
    const come: unknown[] = [];
    for await (const result of gatherEach(queue, jobs(4))) {
      come.push(result);
      if (come.length === 3) release();
    }
    // 0², held back until the three others are in, is last
    expect(come.at(-1)).toEqual([0, { squared: 0 }]);
    expect(come.slice(0, 3).sort()).toEqual([
      [1, { squared: 1 }],
      [2, { squared: 4 }],
      [3, { squared: 9 }],
    ]);
    stop.abort();
    await Promise.all(workers);
  });

  it('are requested from other workers if so set, whether or not one of them does them by then', async () => {
    const queue = open();
    let waiting = NaN;
    const stop = new AbortController();
    const put = async () => {
      ({ waiting } = await queue.counts());
      stop.abort();
    };
    const asked = gather(queue, jobs(3), { put: () => void put(), signal: stop.signal });
    await expect(asked).rejects.toMatchObject({ code: 'interrupted' });
    expect(waiting).toBe(3);
  });

  it('stop when the caller stops iterating: waiting jobs are cancelled', async () => {
    const queue = open();
    const stop = new AbortController();
    const worker = runWorker({
      queue,
      handlers: { rollout: square },
      identity: identity('a'),
      signal: stop.signal,
    });
    for await (const _first of gatherEach(queue, jobs(2))) break;
    stop.abort();
    await worker;
    expect(await queue.counts()).toEqual({ waiting: 0, leased: 0 });
  });

  it("end with the gathering's fault, after the results that came before", async () => {
    const queue = open();
    const stop = new AbortController();
    const rollout: Handler = (job, context) => {
      if (job.name.seed === 1) throw new Error('no such door');
      return square(job, context);
    };
    const worker = runWorker({ queue, handlers: { rollout }, identity: identity('a'), signal: stop.signal });
    const come: number[] = [];
    const gathered = (async () => {
      for await (const [place] of gatherEach(queue, jobs(2))) come.push(place);
    })();
    const { code, message } = await faultOf(gathered);
    expect([code, come]).toEqual(['interrupted', [0]]);
    expect(message).toMatch(/seed 1.*no such door/);
    stop.abort();
    await worker;
  });
});

describe('a worker that does not fit a job', () => {
  it('returns the job and ends, and another worker does it', async () => {
    const queue = open();
    const unfit: Handler = () => {
      throw new EmacError('config', 'model: is another');
    };
    const results = (async () => {
      const all = [];
      for await (const result of gatherEach(queue, jobs(1))) all.push(result);
      return all;
    })();
    const fault = await faultOf(runWorker({ queue, handlers: { rollout: unfit }, identity: identity('a') }));
    expect(fault).toMatchObject({ code: 'config', message: 'model: is another' });
    const stop = new AbortController();
    const worker = runWorker({
      queue,
      handlers: { rollout: square },
      identity: identity('b'),
      signal: stop.signal,
    });
    expect(await results).toEqual([[0, { squared: 0 }]]);
    stop.abort();
    expect(await worker).toMatchObject({ counted: 1 });
  });
});
