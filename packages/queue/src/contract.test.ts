/** The contract of every queue: the same tests run on the queue in the process and on BullMQ with a real Redis. */
import { EmacError } from '@emac/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bullQueue } from './bull-queue.ts';
import { nodeTimers } from './clock.ts';
import { gather } from './gather.ts';
import { jobId, type Job } from './job.ts';
import type { Json } from './json.ts';
import { faultOf, identity, job, jobs, leased, until } from './jobs.test.support.ts';
import { localQueue } from './local-queue.ts';
import { manualClock } from './manual-clock.test.support.ts';
import { listWorkers, type JobQueue, type News } from './queue.ts';
import { hasRedis, needsRedis, startRedis, type TestRedis } from '@emac/testing';
import { runWorker, type Handler } from './run-worker.ts';
import type { QueueSettings } from './settings.ts';

interface Opened {
  readonly queue: JobQueue;
  /** expires leases that nobody renews; with real time they expire by themselves */
  readonly expire: () => void;
}

/** short if a test waits for leases to expire in real time */
const shortLease = { leaseMs: 200 };

let redis: TestRedis;
let count = 0;

async function local(settings: QueueSettings): Promise<Opened> {
  const clock = manualClock();
  const queue = localQueue({ clock, ...settings });
  onTestFinished(() => queue.close());
  return { queue, expire: () => clock.pass(settings.leaseMs ?? 30_000) };
}

async function onRedis(settings: QueueSettings): Promise<Opened> {
  const queue = await bullQueue(redis.url, { name: `q${++count}`, ...settings });
  onTestFinished(() => queue.close());
  return { queue, expire: () => {} };
}

/** Works in this process until the test ends. */
function work(queue: JobQueue, handlers: Record<string, Handler>, id = 'w1') {
  const stop = new AbortController();
  const ended = runWorker({ queue, handlers, identity: identity(id), heartbeat: 50, signal: stop.signal });
  ended.catch(() => {});
  onTestFinished(async () => {
    stop.abort();
    await ended.catch(() => {});
  });
  return { stop, ended };
}

describe.each([
  { kind: 'in the process', open: local, isThere: true },
  { kind: 'on BullMQ', open: onRedis, isThere: hasRedis },
])('a queue $kind', ({ open, isThere }) => {
  describe.skipIf(!isThere)(open === onRedis ? `(${needsRedis})` : 'needs nothing', () => {
    if (open === onRedis) {
      beforeAll(async () => {
        redis = await startRedis();
      });
      afterAll(() => redis.remove());
    }

    it('leases jobs in the order they were put, each to one worker', async () => {
      const { queue } = await open({});
      expect(await queue.put(jobs(3))).toBe(3);
      const leases = [await leased(queue), await leased(queue), await leased(queue)];
      expect(leases.map(({ job }) => job)).toEqual(jobs(3));
      expect(leases.map(({ id }) => id)).toEqual(jobs(3).map(({ name }) => jobId(name)));
      expect(new Set(leases.map(({ token }) => token)).size).toBe(3);
      expect(leases.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
      expect(await queue.counts()).toEqual({ waiting: 0, leased: 3 });
    });

    it('wakes workers waiting for a job, and releases them when their signal fires', async () => {
      const { queue } = await open({});
      const stop = new AbortController();
      const waiting = [queue.lease({ signal: stop.signal }), queue.lease({ signal: stop.signal })];
      await queue.put([job(7)]);
      const first = await Promise.race(waiting);
      expect(first?.job).toEqual(job(7));
      stop.abort();
      const both = await Promise.all(waiting);
      expect(both.filter((lease) => lease === null)).toHaveLength(1);
      await queue.acknowledge(first!, null);
      // no job was lost to the cancelled waiter
      await queue.put([job(8)]);
      expect((await leased(queue)).job).toEqual(job(8));
    });

    it('accepts a job once, however often it is put: while waiting, leased, and ended', async () => {
      const { queue } = await open({});
      expect(await queue.put([job(1)])).toBe(1);
      expect(await queue.put([job(1)])).toBe(0);
      const lease = await leased(queue);
      expect(await queue.put([job(1)])).toBe(0);
      expect(await queue.acknowledge(lease, 'done')).toBe('counted');
      expect(await queue.put([job(1)])).toBe(0);
      expect(await queue.counts()).toEqual({ waiting: 0, leased: 0 });
    });

    it('stores the first result, drops equal ones, and remembers a different one', async () => {
      const { queue } = await open({});
      await queue.put([job(1)]);
      const lease = await leased(queue);
      const outcome = async () => (await queue.outcomes([lease.id]))[0];
      expect(await outcome()).toBeNull();
      expect(await queue.acknowledge(lease, { b: [1.5, null], a: 'x' })).toBe('counted');
      expect(await queue.acknowledge(lease, { a: 'x', b: [1.5, null] })).toBe('duplicate');
      expect(await queue.conflicts('r1')).toEqual([]);
      expect(await queue.acknowledge(lease, { a: 'y', b: [1.5, null] })).toBe('different');
      expect(await outcome()).toEqual({ result: { a: 'x', b: [1.5, null] } });
      expect(await queue.conflicts('r1')).toEqual([
        'rollout of run r1, policy p0, task pick/1, seed 1, shard 0',
      ]);
      expect(await queue.conflicts('r2')).toEqual([]);
    });

    it('poisons a job that fails three times, with the last reason, until it is revived', async () => {
      const { queue } = await open({});
      await queue.put([job(1), job(2)]);
      const seen: [number, number][] = [];
      const reasons: string[] = [];
      for (let step = 0; step < 4; step++) {
        const lease = await leased(queue);
        seen.push([lease.job.name.seed, lease.attempt]);
        if (lease.job.name.seed === 2) await queue.acknowledge(lease, null);
        else reasons.push(await queue.refuse(lease, { reason: `broken ${step}` }));
      }
      // a failed job goes to the end of the line
      expect(seen).toEqual([
        [1, 1],
        [2, 1],
        [1, 2],
        [1, 3],
      ]);
      expect(reasons).toEqual(['again', 'again', 'poisoned']);
      const id = jobId(job(1).name);
      expect(await queue.outcomes([id])).toEqual([{ poisoned: 'broken 3' }]);
      expect(await queue.put([job(1)])).toBe(0);
      await queue.revive([id]);
      expect(await queue.outcomes([id])).toEqual([null]);
      expect(await queue.put([job(1)])).toBe(1);
      expect((await leased(queue)).attempt).toBe(1);
    });

    it('counts nothing against a returned job, and leases it before the others', async () => {
      const { queue } = await open({});
      await queue.put([job(1), job(2)]);
      for (let time = 0; time < 5; time++) {
        const lease = await leased(queue);
        expect(lease.job).toEqual(job(1));
        expect(lease.attempt).toBe(1);
        expect(await queue.refuse(lease, { reason: 'no disk', counts: false })).toBe('again');
      }
    });

    it("leases a job again when its lease expires; the late worker's calls fail", async () => {
      const { queue, expire } = await open(shortLease);
      await queue.put([job(1)]);
      const frozen = await leased(queue);
      expire();
      const other = await leased(queue);
      expect(other.job).toEqual(job(1));
      expect(other.token).not.toBe(frozen.token);
      expect(other.attempt).toBe(2);
      expect(await queue.renew(frozen)).toBe(false);
      expect(await queue.acknowledge(other, 'the same')).toBe('counted');
      expect(await queue.refuse(frozen, { reason: 'late' })).toBe('lost');
      expect(await queue.acknowledge(frozen, 'the same')).toBe('duplicate');
      expect(await queue.outcomes([frozen.id])).toEqual([{ result: 'the same' }]);
      // with real time this lease may have expired too; the finished job leaves the queue all the same
      await until(async () => (await queue.counts()).waiting + (await queue.counts()).leased === 0);
    });

    it('counts the result of a lost lease if it is the first; the job is not run again', async () => {
      const { queue, expire } = await open(shortLease);
      await queue.put([job(1), job(2)]);
      const slow = await leased(queue);
      expire();
      const other = await leased(queue);
      const pair = [slow, other].sort((a, b) => a.job.name.seed - b.job.name.seed);
      // either the first job again, or the second if the first has not expired yet
      if (other.job.name.seed === 2) expect(pair[0]).toBe(slow);
      expect(await queue.acknowledge(slow, 1)).toBe('counted');
      if (other.id === slow.id) expect(await queue.acknowledge(other, 1)).toBe('duplicate');
      else await queue.acknowledge(other, 2);
      expect(await queue.put([job(1)])).toBe(0);
      expect(await queue.outcomes([slow.id])).toEqual([{ result: 1 }]);
    });

    it('poisons a job that has lost too many workers', async () => {
      const { queue, expire } = await open({ ...shortLease, losses: 2 });
      await queue.put([job(1)]);
      for (let time = 0; time < 2; time++) {
        await leased(queue);
        expire();
      }
      const end = new AbortController();
      const rest = queue.lease({ signal: end.signal });
      await until(async () => (await queue.outcomes([jobId(job(1).name)]))[0] !== null);
      end.abort();
      expect(await rest).toBeNull();
      expect(await queue.outcomes([jobId(job(1).name)])).toEqual([
        { poisoned: 'its worker was lost 2 times' },
      ]);
      await until(async () => (await queue.counts()).leased === 0);
      expect(await queue.counts()).toEqual({ waiting: 0, leased: 0 });
    });

    it('lets put wait at the bound, until there is room or its signal fires', async () => {
      const { queue } = await open({ bound: 2 });
      let hasPut = false;
      const putting = queue.put(jobs(3)).then(() => (hasPut = true));
      await until(async () => (await queue.counts()).waiting === 2);
      expect(hasPut).toBe(false);
      await leased(queue);
      await putting;
      expect(await queue.counts()).toEqual({ waiting: 2, leased: 1 });
      const stop = new AbortController();
      const stopped = faultOf(queue.put([job(9)], { signal: stop.signal }));
      stop.abort();
      const { code, message } = await stopped;
      expect(code).toBe('interrupted');
      expect(message).toMatch(/seed 9.*was not put/);
      expect(await queue.counts()).toEqual({ waiting: 2, leased: 1 });
    });

    it('cancels waiting jobs, and leaves leased ones', async () => {
      const { queue } = await open({});
      await queue.put(jobs(3));
      const lease = await leased(queue);
      // the last two are not there
      expect(await queue.cancel(jobs(5).map(({ name }) => jobId(name)))).toBe(2);
      expect(await queue.counts()).toEqual({ waiting: 0, leased: 1 });
      expect(await queue.acknowledge(lease, 1)).toBe('counted');
      expect(await queue.put(jobs(3))).toBe(2);
    });

    it('refuses large data and bad names in one sentence, and takes none of them', async () => {
      const { queue } = await open({});
      const large: Job = { ...job(1), input: 'x'.repeat(65_535) };
      const { code, message } = await faultOf(queue.put([job(0), large]));
      expect(code).toBe('usage');
      expect(message).toMatch(
        /^input of rollout.*65536 bytes of JSON, has 65537; put large data into the shared/,
      );
      expect(await queue.put([{ ...job(1), input: 'x'.repeat(65_534) }])).toBe(1);
      const lease = await leased(queue);
      expect((await faultOf(queue.acknowledge(lease, 'é'.repeat(40_000)))).message).toMatch(
        /^result of .*has 80002/,
      );
      expect(
        (await faultOf(queue.put([{ ...job(1), name: { ...job(1).name, seed: 0.5 } }]))).message,
      ).toMatch(/seed must be a whole number, got 0.5/);
      expect(await queue.outcomes([lease.id])).toEqual([null]);
    });

    it('drains: refuses new jobs, and resolves when all have ended', async () => {
      const { queue } = await open({});
      await queue.put(jobs(2));
      const first = await leased(queue);
      let isOver = false;
      const over = queue.drain().then(() => (isOver = true));
      expect((await faultOf(queue.put([job(5)]))).code).toBe('interrupted');
      await queue.acknowledge(first, 1);
      const second = await leased(queue);
      expect(isOver).toBe(false);
      await queue.acknowledge(second, 2);
      await over;
    });

    it('reports outcomes to watchers', async () => {
      const { queue } = await open({ attempts: 1 });
      const news: News[] = [];
      const unwatch = await queue.watch((each) => news.push(each));
      await queue.put(jobs(3));
      const [first, second, third] = [await leased(queue), await leased(queue), await leased(queue)];
      await queue.acknowledge(first, 1);
      await queue.refuse(second, { reason: 'no' });
      await until(() => news.length >= 2);
      expect(news.filter(({ kind }) => kind === 'outcome')).toEqual([
        { kind: 'outcome', id: first.id },
        { kind: 'outcome', id: second.id },
      ]);
      unwatch();
      await queue.acknowledge(third, 3);
      await queue.outcomes([third.id]);
      expect(news).toHaveLength(2);
    });

    it('forgets the outcomes of one run only', async () => {
      const { queue } = await open({});
      const other: Job = { ...job(1), name: { ...job(1).name, run: 'r2' } };
      await queue.put([job(1), other]);
      await queue.acknowledge(await leased(queue), 1);
      await queue.acknowledge(await leased(queue), 2);
      await queue.forget('r1');
      expect(await queue.outcomes([job(1), other].map(({ name }) => jobId(name)))).toEqual([
        null,
        { result: 2 },
      ]);
      expect(await queue.put([job(1), other])).toBe(1);
    });

    it('lists runs with outcomes or jobs', async () => {
      const { queue } = await open({});
      expect(await queue.runs()).toEqual([]);
      const of = (run: string): Job => ({ ...job(1), name: { ...job(1).name, run } });
      await queue.put([of('ended: b'), of('leased/c'), of('waiting a')]);
      await queue.acknowledge(await leased(queue), 1);
      await leased(queue);
      expect(await queue.runs()).toEqual(['ended: b', 'leased/c', 'waiting a']);
      await queue.forget('ended: b');
      await queue.forget('waiting a');
      expect(await queue.runs()).toEqual(['leased/c']);
    });

    it('cancels the waiting jobs of a forgotten run', async () => {
      const { queue } = await open({});
      const other: Job = { ...job(1), name: { ...job(1).name, run: 'r2' } };
      await queue.put([job(1), job(2), other]);
      const held = await leased(queue);
      await queue.forget('r1');
      expect(await queue.counts()).toEqual({ waiting: 1, leased: 1 });
      expect((await leased(queue)).job).toEqual(other);
      expect(await queue.acknowledge(held, 1)).toBe('counted');
    });

    it('knows the announced versions, and marks jobs with them', async () => {
      const { queue } = await open({});
      expect(await queue.announced()).toBeNull();
      await queue.put([job(1)]);
      await queue.announce({ code: '1', model: 'm' });
      await queue.put([job(2)]);
      await queue.announce({ model: 'm', code: '1' });
      await queue.put([job(3)]);
      expect(await queue.announced()).toEqual({ code: '1', model: 'm' });
      const marks = [await leased(queue), await leased(queue), await leased(queue)].map(
        ({ versions }) => versions,
      );
      expect(marks).toEqual([null, expect.stringMatching(/^[0-9a-f]{16}$/), marks[1]]);
    });

    it('lists live workers with their current job', async () => {
      const { queue } = await open({});
      const gates = new Map<number, () => void>();
      const handler: Handler = async ({ name }, { report }) => {
        report({ step: 3 });
        await new Promise<void>((open) => gates.set(name.seed, open));
        return name.seed;
      };
      const { stop, ended } = work(queue, { rollout: handler });
      await queue.put([job(4)]);
      onTestFinished(() => gates.get(4)?.());
      await until(async () => (await listWorkers(queue)).some(({ progress }) => progress !== null));
      await until(() => gates.has(4));
      expect(await listWorkers(queue)).toEqual([
        {
          ...identity('w1'),
          state: 'working',
          job: 'rollout of run r1, policy p0, task pick/1, seed 4, shard 0',
          progress: { step: 3 },
          done: 0,
          failed: 0,
        },
      ]);
      stop.abort();
      await until(async () => (await listWorkers(queue))[0]?.state === 'draining');
      gates.get(4)!();
      // when stopped, it finished its job and left
      expect(await ended).toEqual({ counted: 1, duplicate: 0, different: 0, failed: 0 });
      expect(await listWorkers(queue)).toEqual([]);
      expect(await queue.outcomes([jobId(job(4).name)])).toEqual([{ result: 4 }]);
    });

    describe('with workers', () => {
      const double: Handler = ({ name }) => ({ doubled: 2 * name.seed });

      it('returns results in list order, whatever order they arrive in', async () => {
        const { queue } = await open({ bound: 2 });
        const order: number[] = [];
        const held = new Map<number, () => void>();
        const handler: Handler = async ({ name }) => {
          // the first job is done after all others
          if (name.seed === 0) await new Promise<void>((open) => held.set(0, open));
          order.push(name.seed);
          if (name.seed === 19) held.get(0)!();
          return { doubled: 2 * name.seed };
        };
        for (const id of ['w1', 'w2', 'w3']) work(queue, { rollout: handler }, id);
        const done: number[] = [];
        const results = await gather(queue, jobs(20), { report: (number) => done.push(number) });
        expect(results).toEqual(jobs(20).map(({ name }) => ({ doubled: 2 * name.seed })));
        expect(order).toHaveLength(20);
        expect(order[19]).toBe(0);
        expect(done).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      });

      it('resumes an earlier gathering without requesting any job twice', async () => {
        const { queue } = await open({});
        const asked: number[] = [];
        const stop = new AbortController();
        const handler: Handler = (job) => {
          asked.push(job.name.seed);
          if (job.name.seed === 4) stop.abort();
          return double(job, null as never);
        };
        const worker = work(queue, { rollout: handler });
        const { code, message } = await faultOf(gather(queue, jobs(500), { signal: stop.signal }));
        expect([code, message]).toEqual([
          'interrupted',
          'gather: stopped; finished jobs are stored; start it again to resume',
        ]);
        worker.stop.abort();
        await worker.ended;
        expect((await queue.counts()).waiting).toBe(0);
        expect(asked.length).toBeLessThan(500);
        work(queue, { rollout: handler }, 'w2');
        const results = await gather(queue, jobs(500));
        expect(results).toEqual(jobs(500).map(({ name }) => ({ doubled: 2 * name.seed })));
        expect([...asked].sort((a, b) => a - b)).toEqual(jobs(500).map(({ name }) => name.seed));
      });

      it('stops with the name of a job that fails three times, cancels the others, and retries it next time', async () => {
        const { queue } = await open({ bound: 4 });
        let tries = 0;
        const handler: Handler = (job) => {
          if (job.name.seed === 3 && ++tries <= 3) throw new Error('no such room');
          return double(job, null as never);
        };
        work(queue, { rollout: handler });
        const { code, message } = await faultOf(gather(queue, jobs(30)));
        expect(code).toBe('interrupted');
        expect(message).toBe(
          'gather: rollout of run r1, policy p0, task pick/1, seed 3, shard 0 is poisoned: no such room; start it again to resume',
        );
        expect(tries).toBe(3);
        await until(async () => (await queue.counts()).leased === 0);
        expect((await queue.counts()).waiting).toBe(0);
        expect(await gather(queue, jobs(30))).toHaveLength(30);
        expect(tries).toBe(4);
      });

      it('resumes after its process was killed: waiting, leased and finished jobs count', async () => {
        const { queue } = await open({});
        await queue.put(jobs(5));
        await queue.acknowledge(await leased(queue), { doubled: 0 });
        const held = await leased(queue);
        const asked: number[] = [];
        const handler: Handler = (job) => {
          asked.push(job.name.seed);
          return double(job, null as never);
        };
        const results = gather(queue, jobs(7));
        work(queue, { rollout: handler });
        await until(() => asked.length === 5);
        expect(await queue.acknowledge(held, { doubled: 2 })).toBe('counted');
        expect(await results).toEqual([0, 2, 4, 6, 8, 10, 12].map((doubled) => ({ doubled })));
        expect(asked).toEqual([2, 3, 4, 5, 6]);
      });

      it('refuses a heartbeat too slow for the leases', async () => {
        const { queue } = await open({ leaseMs: 1_000 });
        const own = { queue, handlers: {}, identity: identity('w1') };
        for (const heartbeat of [501, 0, Number.NaN])
          expect((await faultOf(runWorker({ ...own, heartbeat }))).message).toBe(
            `worker: its heartbeat must be from 1 ms to half a lease of 1000 ms, got ${heartbeat}; change one of them`,
          );
      });

      it('reports two workers that disagree', async () => {
        const { queue } = await open({});
        await queue.put([job(1)]);
        const lease = await leased(queue);
        await queue.acknowledge(lease, 1);
        await queue.acknowledge(lease, 2);
        work(queue, { rollout: double });
        const { code, message } = await faultOf(gather(queue, jobs(3)));
        expect(code).toBe('check-failed');
        expect(message).toMatch(/two workers disagree on rollout of run r1, .* seed 1, shard 0 \(1 in all\)/);
      });

      it('puts jobs again that a queue without a disk has lost, and finds unreported outcomes', async () => {
        const { queue } = await open({});
        // a queue that loses its news, and at first the jobs put into it
        let puts = 0;
        const forgetful = new Proxy(queue, {
          get(target, verb: keyof JobQueue) {
            if (verb === 'timers') return nodeTimers;
            if (verb === 'watch') return async () => () => {};
            if (verb === 'put') return async (some: Job[]) => (puts++ === 0 ? some.length : target.put(some));
            return (...words: never[]) =>
              (target[verb] as (...words: never[]) => unknown).apply(target, words);
          },
        });
        work(queue, { rollout: double });
        const results = await gather(forgetful, jobs(5), { recheckMs: 20 });
        expect(results).toEqual([0, 2, 4, 6, 8].map((doubled) => ({ doubled })));
        expect(puts).toBeGreaterThan(1);
      });

      it('refuses a list with the same job twice', async () => {
        const { queue } = await open({});
        expect((await faultOf(gather(queue, [job(1), job(2), job(1)]))).message).toMatch(
          /seed 1, shard 0 twice/,
        );
      });

      it('refuses a worker of other versions, when it joins and when versions change later', async () => {
        const { queue } = await open({});
        await queue.announce({ code: '2', model: 'm' });
        const options = { queue, handlers: { rollout: double }, heartbeat: 50 };
        const { code, message } = await faultOf(runWorker({ ...options, identity: identity('w1') }));
        expect(code).toBe('config');
        expect(message).toBe(
          'worker w1: must have the versions of the run, has code 1 instead of 2, model none instead of m; start it with the same versions',
        );
        const later = runWorker({ ...options, identity: identity('w2', { code: '2', model: 'm' }) });
        await until(async () => (await listWorkers(queue)).length === 1);
        await queue.announce({ code: '3', model: 'm' });
        await queue.put([job(1)]);
        expect((await faultOf(later)).message).toMatch(/^worker w2: .* code 2 instead of 3/);
        // the job is unharmed
        expect((await leased(queue)).attempt).toBe(1);
      });

      it('names a run with jobs of other versions; once it is forgotten the worker works', async () => {
        const { queue } = await open({});
        const left: Job = { ...job(1), name: { ...job(1).name, run: 'dead run' } };
        await queue.announce({ code: '0' });
        await queue.put([left]);
        await queue.announce({ code: '1' });
        const options = { queue, handlers: { rollout: double }, heartbeat: 50 };
        const { code, message } = await faultOf(runWorker({ ...options, identity: identity('w1') }));
        expect([code, message]).toEqual([
          'config',
          'worker w1: must have the versions of every run, run dead run started with others; start a worker with those, or forget that run',
        ]);
        expect(await queue.counts()).toEqual({ waiting: 1, leased: 0 });
        await queue.forget('dead run');
        work(queue, { rollout: double });
        expect(await gather(queue, [job(2)])).toEqual([{ doubled: 4 }]);
      });

      it('returns a job that this worker cannot do, and stops the worker, not the job', async () => {
        const { queue } = await open({});
        await queue.put([job(1, 'gradient')]);
        const own = { queue, identity: identity('w1'), heartbeat: 50 };
        const full: Handler = () => {
          throw new EmacError('io', 'cannot write data: ENOSPC');
        };
        expect((await faultOf(runWorker({ ...own, handlers: { gradient: full } }))).code).toBe('io');
        const lease = await leased(queue);
        expect([lease.job, lease.attempt]).toEqual([job(1, 'gradient'), 1]);
      });

      it('returns a job whose handler was stopped by a failed heart, and stops the worker', async () => {
        const { queue } = await open({ attempts: 1 });
        let fault: EmacError | null = null;
        const fragile = new Proxy(queue, {
          get(target, verb: keyof JobQueue) {
            if (verb === 'timers') return target.timers;
            if (verb !== 'join')
              return (...words: never[]) =>
                (target[verb] as (...words: never[]) => unknown).apply(target, words);
            return async (...words: Parameters<JobQueue['join']>) => ({
              ...(await target.join(...words)),
              check: () => {
                if (fault) throw fault;
              },
            });
          },
        });
        const dying: Handler = () => {
          fault = new EmacError('unavailable', 'worker w1: cannot renew its leases: its thread has ended');
          throw new EmacError('interrupted', 'rollout: stopped');
        };
        await queue.put([job(1)]);
        const own = { queue: fragile, identity: identity('w1'), handlers: { rollout: dying } };
        expect((await faultOf(runWorker(own))).message).toMatch(/cannot renew its leases/);
        expect(await queue.outcomes([jobId(job(1).name)])).toEqual([null]);
        expect((await leased(queue)).attempt).toBe(1);
      });

      it("refuses a handler's result that is not small JSON", async () => {
        const { queue } = await open({ attempts: 2 });
        const given: Json[] = ['x'.repeat(70_000), Number.NaN];
        work(queue, { rollout: () => given.shift()! });
        const { message } = await faultOf(gather(queue, [job(1)]));
        expect(message).toMatch(/is poisoned: canonicalJson at \$: cannot carry NaN exactly/);
      });
    });
  });
});
