/**
 * The queue on BullMQ and Redis, for several processes and machines. BullMQ holds the waiting jobs and its locks are
 * the leases; outcomes lie beside it in Redis, inserted if absent. Redis times the leases, so clocks of machines may
 * differ.
 */
import { EmacError, messageOf } from '@emac/core';
import { nodeTimers, pause, type Timers } from './clock.ts';
import { checkJob, describeJob, jobId, runOf, type Job } from './job.ts';
import { decodeJson, type Json } from './json.ts';
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
import { openBullJobs, type OpenBull } from './redis/bull-jobs.ts';
import { connectRedis, type RedisConnection } from './redis/connection.ts';
import { beatingHearts, heartThread, startHeart, type HeartThread } from './redis/heart.ts';
import { RedisLeases } from './redis/leases.ts';
import { watchNews } from './redis/news.ts';
import { redisOutcomes, type RedisOutcomes } from './redis/outcomes.ts';
import type { RedisPlace } from './redis/place.ts';
import { heartbeatOf, queueLimits, type QueueLimits, type QueueSettings } from './settings.ts';
import { versionsDigest, type Versions } from './versions.ts';

export interface BullQueueOptions extends QueueSettings, Omit<RedisPlace, 'url'> {
  /** queues of other names on the same Redis are independent; letters, digits, `_`, `-`, `.`; default `jobs` */
  readonly name?: string | undefined;
}

/**
 * Opens a queue on Redis, `redis://` or `rediss://`. Errors: `usage` for an invalid address, name or limits;
 * `unavailable` if BullMQ is not installed, or Redis is unreachable or refuses; `config` if Redis may evict keys;
 * `interrupted`.
 */
export async function bullQueue(url: string, options: BullQueueOptions = {}): Promise<JobQueue> {
  const { name = 'jobs', ca, patienceMs, signal, ...settings } = options;
  if (!/^[\w.-]+$/.test(name))
    throw new EmacError(
      'usage',
      `queue: its name must be letters, digits, _, - and ., got ${JSON.stringify(name)}`,
    );
  const limits = queueLimits(settings);
  const place = { url, ca };
  const connection = await connectRedis({ ...place, patienceMs, signal });
  try {
    const bull = await openBullJobs(connection, name, limits);
    return redisQueue({ name, limits, place, connection, bull, timers: nodeTimers, thread: heartThread });
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

/** What a queue on Redis is made of. */
export interface RedisParts {
  readonly name: string;
  readonly limits: QueueLimits;
  readonly place: RedisPlace;
  readonly connection: RedisConnection;
  readonly bull: OpenBull;
  readonly timers: Timers;
  /** starts the thread of a worker's heart */
  readonly thread: HeartThread;
}

/** A queue over an open connection. */
export function redisQueue(parts: RedisParts): JobQueue {
  return new RedisQueue(parts);
}

/** largest number of jobs put in one request */
const putAtOnce = 500;
/** milliseconds between checks: of `put` for room, of `drain` for the end */
const lookAgainMs = 25;
/** time limit of closing if Redis does not answer */
const closingMs = 3_000;
/** the same if the connection is given up */
const hopelessMs = 500;

class RedisQueue implements JobQueue {
  readonly #parts: RedisParts;
  readonly #prefix: string;
  readonly #outcomes: RedisOutcomes;
  readonly #leases: RedisLeases;
  #versions: string | null = null;
  #isDraining = false;
  #isClosed = false;

  get timers(): Timers {
    return this.#parts.timers;
  }

  constructor(parts: RedisParts) {
    this.#parts = parts;
    this.#prefix = `emac-jobs:${parts.name}`;
    this.#outcomes = redisOutcomes(parts.connection.redis, this.#prefix);
    this.#leases = new RedisLeases({
      bull: parts.bull,
      redis: parts.connection.redis,
      limits: parts.limits,
      outcomes: this.#outcomes,
      asked: (answer) => this.#asked(answer),
    });
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

  /** Jobs without an outcome that are neither waiting nor leased. */
  async #fresh(jobs: readonly Job[]): Promise<Job[]> {
    const { bull, connection } = this.#parts;
    const ids = jobs.map(({ name }) => jobId(name));
    const outcomes = await this.outcomes(ids);
    const known = await this.#asked(
      Promise.all(ids.map((id) => connection.redis.exists(bull.queue.toKey(id)))),
    );
    return jobs.filter((_, index) => outcomes[index] === null && known[index] === 0);
  }

  /** Waits for room; returns how many more jobs may wait, at least one. */
  async #room(job: Job, signal: AbortSignal | undefined): Promise<number> {
    for (;;) {
      this.#mustPut(job, signal);
      const room = this.#parts.limits.bound - (await this.#asked(this.#parts.bull.queue.getWaitingCount()));
      if (room > 0) return room;
      await pause(this.timers, lookAgainMs);
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

  lease(options?: { readonly signal?: AbortSignal | undefined }): Promise<Lease | null> {
    return this.#leases.lease(options?.signal);
  }

  renew(lease: Lease): Promise<boolean> {
    return this.#leases.renew(lease);
  }

  acknowledge(lease: Lease, result: Json): Promise<Acknowledged> {
    return this.#leases.acknowledge(lease, result);
  }

  refuse(lease: Lease, refusal: Refusal): Promise<Refused> {
    return this.#leases.refuse(lease, refusal);
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
    const { bull, connection } = this.#parts;
    // BullMQ counts jobs that are not there as removed
    const removed = ids.map(async (id) => {
      const isThere = (await connection.redis.exists(bull.queue.toKey(id))) === 1;
      return isThere ? bull.queue.remove(id) : 0;
    });
    return (await this.#asked(Promise.all(removed))).reduce((sum, count) => sum + count, 0);
  }

  revive(ids: readonly string[]): Promise<void> {
    return this.#asked(this.#outcomes.revive(ids));
  }

  async runs(): Promise<string[]> {
    const ids = await this.#asked(this.#parts.bull.queue.getRanges(['wait', 'active'], 0, -1));
    const runs = [...ids.map(runOf), ...(await this.#asked(this.#outcomes.runs()))];
    return [...new Set(runs)].sort();
  }

  async forget(run: string): Promise<void> {
    const ids = await this.#asked(this.#parts.bull.queue.getRanges(['wait'], 0, -1));
    await this.cancel(ids.filter((id) => runOf(id) === run));
    await this.#asked(this.#outcomes.forget(run));
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
    return text === null ? null : (decodeJson(text, `queue: ${this.#prefix}:versions`) as Versions);
  }

  async join(report: WorkerReport, heartbeat?: number): Promise<Heart> {
    const { name, place, limits, connection, thread } = this.#parts;
    const every = heartbeatOf(heartbeat, limits);
    const settings = { ...place, name, leaseMs: limits.leaseMs, every, prefix: `${this.#prefix}:workers` };
    return startHeart(report, { settings, thread, hoped: connection.hoped });
  }

  workers(): Promise<WorkerReport[]> {
    return this.#asked(beatingHearts(this.#parts.connection.redis, `${this.#prefix}:workers`));
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    for (;;) {
      const { waiting, leased } = await this.counts();
      if (waiting + leased === 0 || this.#isClosed) return;
      await pause(this.timers, lookAgainMs);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { bull, connection } = this.#parts;
    const ended = this.#leases
      .close()
      .then(() => Promise.allSettled([bull.worker.close(true), bull.queue.close()]));
    const limit = connection.isOver() ? hopelessMs : closingMs;
    await new Promise<void>((resolve) => {
      const cancel = this.timers.after(limit, resolve);
      void ended.then(() => (cancel(), resolve()));
    });
    connection.close();
  }

  /** Redis's answer; throws the reason once the connection is given up. */
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
    `queue: ${describeJob(job.name)} was not put, as the queue is draining or its user has stopped; put it again later`,
  );
}
