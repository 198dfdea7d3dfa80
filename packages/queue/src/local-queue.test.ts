/** Tests that need a fake clock: leases to the millisecond, clock jumps, and every order of events. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gather } from './gather.ts';
import { jobId } from './job.ts';
import { faultOf, identity, job, jobs, leased, until } from './jobs.test.support.ts';
import { localQueue } from './local-queue.ts';
import { manualClock } from './manual-clock.test.support.ts';
import type { Lease } from './queue.ts';
import { runWorker } from './run-worker.ts';

const opened = (settings: { leaseMs?: number; bound?: number; losses?: number } = {}) => {
  const clock = manualClock();
  return { clock, queue: localQueue({ clock, leaseMs: 1_000, ...settings }) };
};

/** resolves after all work that needs no time */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a gathering', () => {
  it('that is stopped while a lost job waits for room ends at once', async () => {
    const { clock, queue } = opened({ bound: 1 });
    const stop = new AbortController();
    let isPut = (): void => {};
    const put = new Promise<void>((resolve) => (isPut = resolve));
    const gathering = gather(queue, [job(1)], { signal: stop.signal, recheckMs: 500, put: isPut });
    await put;
    // the queue loses the job, and another producer takes its room; no worker comes
    await queue.cancel([jobId(job(1).name)]);
    await queue.put([job(2)]);
    clock.pass(500);
    await settled();
    stop.abort();
    const ended = Promise.race([
      faultOf(gathering),
      settled()
        .then(settled)
        .then(() => 'still gathers'),
    ]);
    expect(await ended).toMatchObject({ code: 'interrupted' });
    expect(await queue.counts()).toEqual({ waiting: 1, leased: 0 });
  });
});

describe('a lease in the process', () => {
  it('lasts its full time, and again when renewed', async () => {
    const { clock, queue } = opened();
    await queue.put([job(1)]);
    const lease = await leased(queue);
    let other: Lease | null = null;
    void queue.lease().then((given) => (other = given));
    clock.pass(999);
    expect(await queue.renew(lease)).toBe(true);
    clock.pass(999);
    await settled();
    expect(other).toBeNull();
    clock.pass(1);
    await settled();
    expect(other).toMatchObject({ id: lease.id, attempt: 2 });
    await queue.close();
  });

  it('is renewed exactly as long as its handler runs', async () => {
    const { clock, queue } = opened();
    let open = (): void => {};
    const handlers = { rollout: () => new Promise<null>((end) => (open = () => end(null))) };
    const stop = new AbortController();
    const own = { queue, handlers, heartbeat: 400, signal: stop.signal };
    const worker = runWorker({ ...own, identity: identity('w') });
    await queue.put([job(1)]);
    await settled();
    for (let second = 0; second < 60; second++) {
      clock.pass(1_000);
      await settled();
      expect(await queue.counts()).toEqual({ waiting: 0, leased: 1 });
    }
    open();
    stop.abort();
    expect((await worker).counted).toBe(1);
  });

  it('survives a thread that was busy for longer: renewal is due before expiry', async () => {
    const { clock, queue } = opened();
    const handlers = {
      // sixty seconds pass at once, as in a handler that computes
      async rollout() {
        clock.pass(60_000);
        await settled();
        return 'done';
      },
    };
    const stop = new AbortController();
    const own = { handlers, heartbeat: 400, signal: stop.signal };
    await queue.put([job(1)]);
    const workers = ['a', 'b'].map((id) => runWorker({ ...own, queue, identity: identity(id) }));
    await until(async () => (await queue.outcomes([jobId(job(1).name)]))[0] !== null);
    stop.abort();
    const tallies = await Promise.all(workers);
    expect(tallies.map(({ counted, duplicate }) => counted + duplicate).sort()).toEqual([0, 1]);
  });

  it('survives a clock that is set back, and then lasts no longer than it should', async () => {
    const { clock, queue } = opened();
    await queue.put([job(1)]);
    const lease = await leased(queue);
    clock.pass(500);
    expect(await queue.counts()).toEqual({ waiting: 0, leased: 1 });
    clock.jump(-3_600_000);
    expect(await queue.counts()).toEqual({ waiting: 0, leased: 1 });
    clock.pass(499);
    expect(await queue.counts()).toEqual({ waiting: 0, leased: 1 });
    clock.pass(1);
    expect(await queue.counts()).toEqual({ waiting: 1, leased: 0 });
    expect((await leased(queue)).id).toBe(lease.id);
  });

  it('expires when the clock is set forward; the job runs again, and counts once', async () => {
    const { clock, queue } = opened();
    await queue.put([job(1)]);
    const lease = await leased(queue);
    clock.jump(3_600_000);
    const again = await leased(queue);
    expect(again.attempt).toBe(2);
    expect(await queue.acknowledge(lease, 1)).toBe('counted');
    expect(await queue.acknowledge(again, 1)).toBe('duplicate');
  });
});

describe('any order of events', () => {
  const event = fc.oneof(
    { weight: 4, arbitrary: fc.constant('lease' as const) },
    { weight: 3, arbitrary: fc.constant('acknowledge' as const) },
    { weight: 1, arbitrary: fc.constant('refuse' as const) },
    { weight: 1, arbitrary: fc.constant('renew' as const) },
    { weight: 1, arbitrary: fc.constant('put again' as const) },
    { weight: 2, arbitrary: fc.constant('time' as const) },
    { weight: 1, arbitrary: fc.constant('jump' as const) },
  );
  const events = fc.array(fc.tuple(event, fc.nat(1_000)), { maxLength: 80 });

  it('loses no job and counts none twice, for any late workers and clock jumps', async () => {
    await fc.assert(
      fc.asyncProperty(events, async (list) => {
        const { clock, queue } = opened({ losses: 1_000 });
        const all = jobs(6);
        await queue.put(all);
        // every lease ever given, lost ones too: a late worker may return, refuse or renew at any time
        const given: Lease[] = [];
        const counted: string[] = [];
        for (const [kind, number] of list) {
          const lease = given[number % Math.max(1, given.length)];
          if (kind === 'lease' && (await queue.counts()).waiting > 0) given.push(await leased(queue));
          if (kind === 'time') clock.pass(number);
          if (kind === 'jump') clock.jump((number - 500) * 10);
          if (kind === 'put again') await queue.put(all);
          if (!lease) continue;
          if (kind === 'renew') await queue.renew(lease);
          if (kind === 'refuse' && lease.attempt < 3)
            await queue.refuse(lease, { reason: 'no', counts: false });
          if (kind === 'acknowledge' && (await queue.acknowledge(lease, lease.job.name.seed)) === 'counted')
            counted.push(lease.id);
        }
        // a resumed gathering finds the rest, and nothing else
        const stop = new AbortController();
        const handlers = { rollout: ({ name }: { name: { seed: number } }) => name.seed };
        const worker = runWorker({ queue, handlers, identity: identity('w'), signal: stop.signal });
        let isOver = false;
        const results = gather(queue, all).finally(() => (isOver = true));
        while (!isOver) {
          clock.pass(1_000);
          await settled();
        }
        expect(await results).toEqual([0, 1, 2, 3, 4, 5]);
        stop.abort();
        const rest = await worker;
        expect(new Set(counted).size).toBe(counted.length);
        expect(counted.length + rest.counted).toBe(6);
        expect([rest.duplicate, rest.different]).toEqual([0, 0]);
        expect(await queue.counts()).toEqual({ waiting: 0, leased: 0 });
        await queue.close();
      }),
    );
  });

  it('gives the same leases in the same order every time', async () => {
    const once = async (): Promise<string[]> => {
      const { clock, queue } = opened();
      await queue.put(jobs(4));
      const seen: string[] = [];
      for (let step = 0; step < 12; step++) {
        const lease = await leased(queue);
        seen.push(`${lease.id} ${lease.token} ${lease.attempt}`);
        if (step % 3 === 0) clock.pass(1_000);
        else await queue.refuse(lease, { reason: 'no', counts: false });
      }
      return seen;
    };
    expect(await once()).toEqual(await once());
  });
});

it('passes ten thousand jobs through a bound of a hundred in the process', async () => {
  const { queue } = opened({ bound: 100 });
  let most = 0;
  const stop = new AbortController();
  const handlers = {
    async rollout({ name }: { name: { seed: number } }) {
      most = Math.max(most, (await queue.counts()).waiting);
      return name.seed;
    },
  };
  const worker = runWorker({ queue, handlers, identity: identity('w'), signal: stop.signal });
  const results = await gather(queue, jobs(10_000));
  stop.abort();
  await worker;
  expect(results).toEqual(Array.from({ length: 10_000 }, (_, seed) => seed));
  expect(most).toBe(100);
});
