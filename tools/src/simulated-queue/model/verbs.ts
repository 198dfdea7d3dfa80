/**
 * Random sequences of a queue's verbs, in the hands of several processes, and what each answered: equal on a simulated
 * and a real Redis if the simulation is right.
 */
import type { Random } from '@emac/core';
import { jobId, type Job, type JobQueue, type Lease } from '@emac/queue';

/** Queue objects over one Redis. */
export interface Opened {
  readonly queues: readonly JobQueue[];
  /** the answer; a simulation lets its time pass until it is there */
  answered<T>(answer: Promise<T>): Promise<T>;
  /** the lease of a job ends, and the job returns */
  expire(id: string): Promise<void>;
  close(): Promise<void>;
}

/** limits under which few verbs reach all ends */
export const limits = { leaseMs: 60_000, bound: 4, attempts: 2, losses: 2 };

interface Held {
  readonly queue: JobQueue;
  readonly lease: Lease;
}

const runs = ['one', 'two'];

function jobOf(number: number): Job {
  const name = { kind: 'play', run: runs[number % 2]!, policy: 'p', task: 't', seed: number, shard: 0 };
  return { name, input: { number } };
}

const jobs = Array.from({ length: 6 }, (_, number) => jobOf(number));
const ids = jobs.map(({ name }) => jobId(name));

/** Does so many verbs; returns a line for each: the verb, its answer, and what the queue holds afterwards. */
export async function transcript(random: Random, opened: Opened, count: number): Promise<string[]> {
  const { queues, answered } = opened;
  const lines: string[] = [];
  const held: Held[] = [];
  let current = 0;
  const counts = () => answered(queues[0]!.counts());

  /** A lease, or null if there is none to have. */
  const lease = async (queue: JobQueue): Promise<Lease | null> => {
    const stop = new AbortController();
    let isOver = false;
    const before = (await counts()).leased;
    const asked = queue.lease({ signal: stop.signal }).finally(() => (isOver = true));
    // finished jobs leave the line meanwhile; only an empty line makes it stop
    while (!isOver) {
      const { waiting, leased } = await counts();
      if (!isOver && waiting === 0 && leased <= before) stop.abort();
      if (stop.signal.aborted) break;
    }
    return answered(asked);
  };

  const verbs: Readonly<Record<string, (queue: JobQueue) => Promise<unknown>>> = {
    async put(queue) {
      const { waiting } = await counts();
      const some = jobs.filter(() => random.uniform() < 0.5).slice(0, limits.bound - waiting);
      return [some.map(({ name }) => name.seed), some.length > 0 ? await answered(queue.put(some)) : 0];
    },
    async lease(queue) {
      if ((await counts()).waiting === 0) return 'nothing waits';
      const found = await lease(queue);
      if (found) held.push({ queue, lease: found });
      return found && [found.id, found.attempt, found.versions];
    },
    renew: async () => onHeld(({ queue, lease: each }) => answered(queue.renew(each))),
    acknowledge: async () =>
      onHeld(({ queue, lease: each }) => answered(queue.acknowledge(each, random.integer(8) === 0 ? 1 : 0))),
    refuse: async () => {
      const refusal = { reason: `reason ${++current}`, counts: random.uniform() < 0.6 };
      return onHeld(({ queue, lease: each }) => answered(queue.refuse(each, refusal)));
    },
    expire: async () => {
      const leased = held.at(-1)?.lease;
      if (leased) await opened.expire(leased.id);
      return leased?.id;
    },
    // of jobs that are there: BullMQ counts others too
    cancel: async (queue) => {
      const some = ids.filter(() => random.uniform() < 0.3);
      await answered(queue.cancel(some));
      return some;
    },
    revive: async (queue) => answered(queue.revive(ids)),
    forget: async (queue) =>
      random.integer(4) === 0 ? answered(queue.forget(random.pick(runs))) : 'not now',
    announce: async (queue) => answered(queue.announce({ code: String(random.integer(2)) })),
  };

  async function onHeld(verb: (held: Held) => Promise<unknown>): Promise<unknown> {
    const each = held.length > 0 ? random.pick(held) : null;
    return each && [each.lease.id, each.lease.attempt, await verb(each)];
  }

  const weighted = [
    'put',
    'lease',
    'lease',
    'lease',
    'acknowledge',
    'refuse',
    'expire',
    ...Object.keys(verbs),
  ];
  for (let step = 0; step < count; step++) {
    const name = random.pick(weighted);
    const answer = await verbs[name]!(random.pick(queues));
    const state = [
      await counts(),
      await answered(queues[0]!.outcomes(ids)),
      await answered(queues[0]!.runs()),
      await Promise.all(runs.map((run) => answered(queues[0]!.conflicts(run)))),
      await answered(queues[0]!.announced()),
    ];
    lines.push(JSON.stringify([name, answer, state]));
  }
  return lines;
}
