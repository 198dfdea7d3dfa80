/** Leases as BullMQ's locks, and their ends: a result, a failure, or return. */
import type { Redis } from 'ioredis';
import { describeJob, isJob } from '../job.ts';
import { encodeJson, type Json } from '../json.ts';
import type { Acknowledged, Lease, Refusal, Refused } from '../queue.ts';
import type { QueueLimits } from '../settings.ts';
import type { Held, OpenBull } from './bull-jobs.ts';
import type { RedisOutcomes } from './outcomes.ts';

interface Parts {
  readonly bull: OpenBull;
  readonly redis: Redis;
  readonly limits: QueueLimits;
  readonly outcomes: RedisOutcomes;
  /** the answer; faults as `EmacError` */
  readonly asked: <T>(answer: Promise<T>) => Promise<T>;
}

/** The leases of one queue object. */
export class RedisLeases {
  readonly #parts: Parts;
  /** by token: BullMQ counts failures in its own record of a job */
  readonly #held = new Map<string, Held>();
  /** one request for a job at a time; BullMQ waits for one only */
  #fetching: Promise<unknown> = Promise.resolve();
  #isWatching = false;
  #isClosed = false;
  #tokens = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The next job; null once the signal fires or this is closed. */
  async lease(signal: AbortSignal | undefined): Promise<Lease | null> {
    while (!this.#isClosed && !signal?.aborted) {
      const lease = await this.#fetched(signal).catch((thrown: unknown) => {
        // a worker that stops while Redis is away wants no job
        if (this.#isClosed || signal?.aborted) return null;
        throw thrown;
      });
      if (!lease) continue;
      if (!this.#isClosed && !signal?.aborted) return lease;
      const returned = this.refuse(lease, { reason: 'no longer wanted', counts: false });
      // if this fails, the lease expires
      await returned.catch(() => {});
    }
    return null;
  }

  /** Waits a moment for a job, after earlier requests. */
  #fetched(signal: AbortSignal | undefined): Promise<Lease | null> {
    const fetched = this.#fetching.then(async () => {
      if (this.#isClosed || signal?.aborted) return null;
      if (!this.#isWatching) await this.#parts.asked(this.#parts.bull.worker.startStalledCheckTimer());
      this.#isWatching = true;
      const { worker } = this.#parts.bull;
      const token = `${worker.id}-${++this.#tokens}`;
      const next = worker.getNextJob(token).catch((thrown: unknown) => {
        if (thrown instanceof SyntaxError) return unreadable;
        throw thrown;
      });
      const held = await this.#parts.asked(next);
      if (held === unreadable) await this.#parts.asked(dropUnreadable(this.#parts, token));
      return held && held !== unreadable ? this.#admitted(held as Held, token) : null;
    });
    this.#fetching = fetched.catch(() => {});
    return fetched;
  }

  /** A lease of a fetched job; null if it is none, has ended meanwhile, or has lost too many workers. */
  async #admitted(held: Held, token: string): Promise<Lease | null> {
    const { id, attemptsMade, stalledCounter } = held as Held & { id: string };
    const { job, versions } = (held.data ?? {}) as Partial<Held['data']>;
    if (!isJob(job, id) || (versions !== null && typeof versions !== 'string')) {
      // another program's: it has no run that could hear of it
      await this.#ended(() => held.moveToCompleted(null, token, false));
      await this.#parts.asked(this.#parts.bull.queue.remove(id));
      return null;
    }
    const [outcome] = await this.#parts.asked(this.#parts.outcomes.read([id]));
    if (held.deferredFailure && !outcome) {
      await this.#parts.asked(
        this.#parts.outcomes.poison(id, `its worker was lost ${this.#parts.limits.losses} times`),
      );
    }
    if (outcome || held.deferredFailure) {
      await this.#ended(() => held.moveToCompleted(null, token, false));
      return null;
    }
    this.#held.set(token, held);
    return { id, job, versions, token, attempt: attemptsMade + stalledCounter + 1 };
  }

  async renew({ token }: Lease): Promise<boolean> {
    const extended = await this.#parts.asked(
      Promise.resolve(this.#held.get(token)?.extendLock(token, this.#parts.limits.leaseMs)),
    );
    return Boolean(extended);
  }

  async acknowledge(lease: Lease, result: Json): Promise<Acknowledged> {
    const words = describeJob(lease.job.name);
    const text = encodeJson(result, `result of ${words}`);
    const acknowledged = await this.#parts.asked(this.#parts.outcomes.insert(lease.id, text, words));
    const held = this.#held.get(lease.token);
    this.#held.delete(lease.token);
    if (held && !(await this.#ended(() => held.moveToCompleted(null, lease.token, false))))
      // it may be waiting again, but its result is there
      await this.#parts.asked(this.#parts.bull.queue.remove(lease.id));
    return acknowledged;
  }

  /** Refuses a job as failed, or returns it. */
  async refuse({ id, token }: Lease, { reason, counts = true }: Refusal): Promise<Refused> {
    const held = this.#held.get(token);
    this.#held.delete(token);
    if (!held) return 'lost';
    if (!counts) return (await this.#ended(() => held.moveToWait(token))) ? 'again' : 'lost';
    const isLast = held.attemptsMade + 1 >= this.#parts.limits.attempts;
    const moved = await this.#ended(() => held.moveToFailed(new Error(reason), token, false));
    if (!moved) return 'lost';
    if (isLast) await this.#parts.asked(this.#parts.outcomes.poison(id, reason));
    return isLast ? 'poisoned' : 'again';
  }

  /** Ends a lease in BullMQ; false if this worker no longer held it. */
  #ended(end: () => Promise<unknown>): Promise<boolean> {
    const ended = end().then(
      () => true,
      (thrown: unknown) => {
        // BullMQ's codes for a job that is gone, has no lock, or another's lock, or is not active
        if ([-1, -2, -3, -6].includes((thrown as { code?: number }).code ?? 0)) return false;
        throw thrown;
      },
    );
    return this.#parts.asked(ended);
  }

  /** Stops leasing; resolves when no request waits for a job. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#fetching;
  }
}

/** A job whose entry is no JSON. */
const unreadable = Symbol('unreadable');

/** Removes the job that has the lock of this token, which BullMQ cannot read, and so cannot end. */
async function dropUnreadable({ bull: { queue }, redis }: Parts, token: string): Promise<void> {
  for (const id of await queue.getRanges(['active'], 0, -1)) {
    if ((await redis.get(`${queue.toKey(id)}:lock`)) !== token) continue;
    await redis.lrem(queue.toKey('active'), 0, id);
    await redis.srem(queue.toKey('stalled'), id);
    await redis.del(queue.toKey(id), `${queue.toKey(id)}:lock`);
  }
}
