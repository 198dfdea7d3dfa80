/**
 * The queue on BullMQ and Redis, for several processes and machines. BullMQ holds the line of jobs, its locks are the leases;
 * outcomes lie beside it in Redis, inserted if absent. Redis counts the time of leases, so clocks of machines may differ.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { EmacError, messageOf } from '@emac/core';
import { checkJob, describeJob, jobId, type Job } from './job.ts';
import { encodeJson, type Json } from './json.ts';
import type {
  Acknowledged,
  Heart,
  JobQueue,
  Lease,
  News,
  Outcome,
  PutOptions,
  Refusal,
  Refused,
  WorkerReport,
} from './queue.ts';
import { openBullJobs, type Held, type OpenBull } from './redis/bull-jobs.ts';
import { connectRedis, type RedisConnection } from './redis/connection.ts';
import { beatingHearts, startHeart } from './redis/heart.ts';
import { watchNews } from './redis/news.ts';
import { redisOutcomes, type RedisOutcomes } from './redis/outcomes.ts';
import type { RedisPlace } from './redis/place.ts';
import { heartbeatOf, queueLimits, type QueueLimits, type QueueSettings } from './settings.ts';
import { versionsDigest, type Versions } from './versions.ts';

export interface BullQueueOptions extends QueueSettings, Omit<RedisPlace, 'url'> {
  /** queues of other names on the same Redis know nothing of each other; letters, digits, `_`, `-`, `.`; default `jobs` */
  readonly name?: string | undefined;
}

/**
 * Opens a queue on Redis, `redis://` or `rediss://`. Errors: `usage` for an address, name or limits that are none;
 * `unavailable` where BullMQ is not installed, or Redis is not there or refuses; `config` where Redis may remove keys.
 */
export async function bullQueue(url: string, options: BullQueueOptions = {}): Promise<JobQueue> {
  const { name = 'jobs', ca, patienceMs, ...settings } = options;
  if (!/^[\w.-]+$/.test(name))
    throw new EmacError(
      'usage',
      `queue: its name must be letters, digits, _, - and ., got ${JSON.stringify(name)}`,
    );
  const limits = queueLimits(settings);
  const place = { url, ca, patienceMs };
  const connection = await connectRedis(place);
  try {
    return new RedisQueue({
      name,
      limits,
      place,
      connection,
      bull: await openBullJobs(connection, name, limits),
    });
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

interface Parts {
  readonly name: string;
  readonly limits: QueueLimits;
  readonly place: RedisPlace;
  readonly connection: RedisConnection;
  readonly bull: OpenBull;
}

/** as many jobs are put in one request at most */
const putAtOnce = 500;
/** how long `put` waits before it looks for room again, and `drain` for its end */
const lookAgainMs = 25;
/** how long closing may take where Redis does not answer */
const closingMs = 3_000;

class RedisQueue implements JobQueue {
  readonly #parts: Parts;
  readonly #prefix: string;
  readonly #outcomes: RedisOutcomes;
  /** by token: BullMQ decides from its own record of a job whether it has failed too often */
  readonly #held = new Map<string, Held>();
  /** one request for a job at a time; BullMQ waits for one only */
  #fetching: Promise<unknown> = Promise.resolve();
  #isWatchingLeases = false;
  #tokens = 0;
  #versions: string | null = null;
  #isDraining = false;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#prefix = `emac-jobs:${parts.name}`;
    this.#outcomes = redisOutcomes(parts.connection.redis, this.#prefix);
  }

  async put(jobs: readonly Job[], { signal }: PutOptions = {}): Promise<number> {
    jobs.forEach(checkJob);
    let added = 0;
    for (let from = 0; from < jobs.length; from += putAtOnce) {
      const fresh = await this.#fresh(jobs.slice(from, from + putAtOnce));
      for (let put = 0; put < fresh.length;) {
        const room = await this.#room(fresh[put]!, signal);
        const some = fresh.slice(put, put + room).map((job) => this.#bulk(job));
        await this.#asked(this.#parts.bull.queue.addBulk(some));
        put += some.length;
      }
      if (fresh.length === 0) this.#mustPut(jobs[from]!, signal);
      added += fresh.length;
    }
    return added;
  }

  /** Those without an outcome that neither wait nor are leased. */
  async #fresh(jobs: readonly Job[]): Promise<Job[]> {
    const { bull, connection } = this.#parts;
    const ids = jobs.map(({ name }) => jobId(name));
    const outcomes = await this.outcomes(ids);
    const known = await this.#asked(
      Promise.all(ids.map((id) => connection.redis.exists(bull.queue.toKey(id)))),
    );
    return jobs.filter((_, index) => outcomes[index] === null && known[index] === 0);
  }

  /** How many more may wait, once that is at least one. */
  async #room(job: Job, signal: AbortSignal | undefined): Promise<number> {
    for (;;) {
      this.#mustPut(job, signal);
      const room = this.#parts.limits.bound - (await this.#asked(this.#parts.bull.queue.getWaitingCount()));
      if (room > 0) return room;
      await pause(lookAgainMs);
    }
  }

  #mustPut(job: Job, signal: AbortSignal | undefined): void {
    if (this.#isDraining || this.#isClosed || signal?.aborted) throw refusedToPut(job);
  }

  #bulk(job: Job) {
    const opts = {
      jobId: jobId(job.name),
      attempts: this.#parts.limits.attempts,
      removeOnComplete: true,
      removeOnFail: true,
    };
    return { name: job.name.kind, data: { job, versions: this.#versions }, opts };
  }

  async lease({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<Lease | null> {
    if (!this.#isWatchingLeases) await this.#asked(this.#parts.bull.worker.startStalledCheckTimer());
    this.#isWatchingLeases = true;
    while (!this.#isClosed && !signal?.aborted) {
      const lease = await this.#fetched(signal).catch((thrown: unknown) => {
        if (this.#isClosed) return null;
        throw thrown;
      });
      if (!lease) continue;
      if (!this.#isClosed && !signal?.aborted) return lease;
      await this.refuse(lease, { reason: 'not wanted any more', counts: false });
    }
    return null;
  }

  /** Waits a moment for a job, after those who wait already. */
  #fetched(signal: AbortSignal | undefined): Promise<Lease | null> {
    const fetched = this.#fetching.then(async () => {
      if (this.#isClosed || signal?.aborted) return null;
      const { worker } = this.#parts.bull;
      const token = `${worker.id}-${++this.#tokens}`;
      const held = await this.#asked(worker.getNextJob(token));
      return held ? this.#admitted(held as Held, token) : null;
    });
    this.#fetching = fetched.catch(() => {});
    return fetched;
  }

  /** A lease of a fetched job; null for one that has ended meanwhile, or has lost too many workers. */
  async #admitted(held: Held, token: string): Promise<Lease | null> {
    const { id, data, attemptsMade, stalledCounter } = held as Held & { id: string };
    const [outcome] = await this.outcomes([id]);
    if (held.deferredFailure && !outcome) {
      await this.#asked(this.#outcomes.poison(id, `its worker was lost ${this.#parts.limits.losses} times`));
    }
    if (outcome || held.deferredFailure) {
      await this.#ended(() => held.moveToCompleted(null, token, false));
      return null;
    }
    this.#held.set(token, held);
    return { id, job: data.job, versions: data.versions, token, attempt: attemptsMade + stalledCounter + 1 };
  }

  async renew({ token }: Lease): Promise<boolean> {
    const extended = await this.#asked(
      Promise.resolve(this.#held.get(token)?.extendLock(token, this.#parts.limits.leaseMs)),
    );
    return Boolean(extended);
  }

  async acknowledge(lease: Lease, result: Json): Promise<Acknowledged> {
    const words = describeJob(lease.job.name);
    const text = encodeJson(result, `result of ${words}`);
    const acknowledged = await this.#asked(this.#outcomes.insert(lease.id, text, words));
    const held = this.#held.get(lease.token);
    this.#held.delete(lease.token);
    if (held && !(await this.#ended(() => held.moveToCompleted(null, lease.token, false))))
      // it may wait again; nobody has to do it any more
      await this.cancel([lease.id]);
    return acknowledged;
  }

  async refuse({ id, token }: Lease, { reason, counts = true }: Refusal): Promise<Refused> {
    const held = this.#held.get(token);
    this.#held.delete(token);
    if (!held) return 'lost';
    if (!counts) return (await this.#ended(() => held.moveToWait(token))) ? 'again' : 'lost';
    const isLast = held.attemptsMade + 1 >= this.#parts.limits.attempts;
    const moved = await this.#ended(() => held.moveToFailed(new Error(reason), token, false));
    if (!moved) return 'lost';
    if (isLast) await this.#asked(this.#outcomes.poison(id, reason));
    return isLast ? 'poisoned' : 'again';
  }

  /** Ends a lease in BullMQ; false where it was not this worker's any more. */
  async #ended(end: () => Promise<unknown>): Promise<boolean> {
    try {
      await end();
      return true;
    } catch (thrown) {
      // BullMQ's codes for a job that is gone, has no lock, or another's lock, or is not active
      if ([-1, -2, -3, -6].includes((thrown as { code?: number }).code ?? 0)) return false;
      throw this.#fault(thrown);
    }
  }

  outcomes(ids: readonly string[]): Promise<(Outcome | null)[]> {
    return this.#asked(this.#outcomes.read(ids));
  }

  conflicts(run: string): Promise<string[]> {
    return this.#asked(this.#outcomes.conflicts(run));
  }

  watch(listen: (news: News) => void): Promise<() => void> {
    return watchNews(this.#parts.connection, this.#outcomes.channel, listen);
  }

  async cancel(ids: readonly string[]): Promise<number> {
    const { queue } = this.#parts.bull;
    const removed = await this.#asked(Promise.all(ids.map((id) => queue.remove(id))));
    return removed.reduce((sum, count) => sum + count, 0);
  }

  revive(ids: readonly string[]): Promise<void> {
    return this.#asked(this.#outcomes.revive(ids));
  }

  forget(run: string): Promise<void> {
    return this.#asked(this.#outcomes.forget(run));
  }

  async counts() {
    const { queue } = this.#parts.bull;
    const { waiting = 0, active = 0 } = await this.#asked(queue.getJobCounts('waiting', 'active'));
    return { waiting, leased: active };
  }

  async announce(versions: Versions): Promise<void> {
    this.#versions = versionsDigest(versions);
    await this.#asked(this.#parts.connection.redis.set(`${this.#prefix}:versions`, JSON.stringify(versions)));
  }

  async announced(): Promise<Versions | null> {
    const text = await this.#asked(this.#parts.connection.redis.get(`${this.#prefix}:versions`));
    return text === null ? null : (JSON.parse(text) as Versions);
  }

  async join(report: WorkerReport, heartbeat?: number): Promise<Heart> {
    const { name, place, limits, connection } = this.#parts;
    const every = heartbeatOf(heartbeat, limits);
    const settings = { ...place, name, leaseMs: limits.leaseMs, every, prefix: `${this.#prefix}:workers` };
    return startHeart(report, settings, connection.hoped);
  }

  workers(): Promise<WorkerReport[]> {
    return this.#asked(beatingHearts(this.#parts.connection.redis, `${this.#prefix}:workers`));
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    for (;;) {
      const { waiting, leased } = await this.counts();
      if (waiting + leased === 0 || this.#isClosed) return;
      await pause(lookAgainMs);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { bull, connection } = this.#parts;
    const ended = this.#fetching.then(() =>
      Promise.allSettled([bull.worker.close(true), bull.queue.close()]),
    );
    await Promise.race([ended, pause(closingMs, undefined, { ref: false })]);
    connection.close();
  }

  /** What Redis answers; once there is no hope of an answer, why. */
  async #asked<T>(answer: Promise<T>): Promise<T> {
    try {
      return await this.#parts.connection.hoped(answer);
    } catch (thrown) {
      throw this.#fault(thrown);
    }
  }

  #fault(thrown: unknown): unknown {
    if (thrown instanceof EmacError) return thrown;
    if (this.#isClosed)
      return new EmacError('interrupted', 'queue: was closed while it was in use; open it again');
    const { place } = this.#parts.connection;
    const message = `queue at ${place}: Redis refuses: ${messageOf(thrown)}; look at its log`;
    return new EmacError('unavailable', message, { cause: thrown });
  }
}

function refusedToPut(job: Job): EmacError {
  return new EmacError(
    'interrupted',
    `queue: ${describeJob(job.name)} was not put, the queue drains or its user has stopped; put it again later`,
  );
}
