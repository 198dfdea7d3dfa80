/**
 * The default queue, in the process: deterministic, and needs no server. First come, first served; a job that lost its
 * worker goes first, a failed one last. Time is the clock's: set back, it stands still; set forward, it expires leases,
 * which costs work but no result.
 */
import { EmacError } from '@emac/core';
import { elapsed, type Clock } from './clock.ts';
import { checkJob, describeJob, jobId, runOf, type Job } from './job.ts';
import { encodeJson, type Json } from './json.ts';
import { localJobs, type Entry } from './local-jobs.ts';
import { localOutcomes } from './local-outcomes.ts';
import { localWorkers } from './local-workers.ts';
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
import { heartbeatOf, queueLimits, type QueueLimits, type QueueSettings } from './settings.ts';
import { versionsDigest, type Versions } from './versions.ts';
import { waitingLine } from './waiting-line.ts';

export interface LocalQueueOptions extends QueueSettings {
  readonly clock: Clock;
}

/** A queue in this process. Errors: `usage` for invalid limits. */
export function localQueue(options: LocalQueueOptions): JobQueue {
  return new LocalQueue(options.clock, queueLimits(options));
}

class LocalQueue implements JobQueue {
  readonly #clock: Clock;
  readonly #limits: QueueLimits;
  readonly #now: () => number;
  readonly #jobs = localJobs();
  readonly #outcomes = localOutcomes();
  readonly #workers = localWorkers();
  readonly #forJobs = waitingLine();
  readonly #forRoom = waitingLine();
  readonly #forDrain = waitingLine();
  #versions: Versions | null = null;
  #isDraining = false;
  #isClosed = false;
  #endTimer: (() => void) | null = null;

  get timers(): Clock {
    return this.#clock;
  }

  constructor(clock: Clock, limits: QueueLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#now = elapsed(clock);
  }

  async put(jobs: readonly Job[], { signal }: PutOptions = {}): Promise<number> {
    jobs.forEach(checkJob);
    let added = 0;
    for (const job of jobs) {
      const id = jobId(job.name);
      await this.#room(id, signal);
      if (!this.#mayPut(signal)) throw refusedToPut(job);
      if (this.#isNew(id)) added += this.#add(id, job);
    }
    return added;
  }

  #add(id: string, job: Job): number {
    const versions = this.#versions && versionsDigest(this.#versions);
    this.#jobs.add({ id, job, versions, failures: 0, losses: 0, lease: null });
    this.#forJobs.wake();
    return 1;
  }

  async #room(id: string, signal: AbortSignal | undefined): Promise<void> {
    while (this.#isNew(id) && this.#jobs.waiting >= this.#limits.bound && this.#mayPut(signal))
      await this.#forRoom.wait(signal);
    // woken for room but not using it: wake the next
    if (!this.#isNew(id) || !this.#mayPut(signal)) this.#forRoom.wake();
  }

  #isNew(id: string): boolean {
    return this.#jobs.get(id) === undefined && !this.#outcomes.has(id);
  }

  #mayPut(signal: AbortSignal | undefined): boolean {
    return !this.#isDraining && !this.#isClosed && !signal?.aborted;
  }

  async lease({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<Lease | null> {
    while (!this.#isClosed && !signal?.aborted) {
      this.#expire();
      const lease = this.#jobs.take(this.#now() + this.#limits.leaseMs);
      if (lease) {
        this.#forRoom.wake();
        if (this.#forJobs.length > 0) this.#wakeAtExpiry();
        return lease;
      }
      this.#wakeAtExpiry();
      await this.#forJobs.wait(signal);
    }
    if (this.#forJobs.length === 0) this.#endTimer?.();
    // woken for a job but not taking it: wake the next
    this.#forJobs.wake();
    return null;
  }

  /** Returns jobs with expired leases to the line, or poisons them. */
  #expire(): void {
    for (const entry of this.#jobs.expired(this.#now())) {
      entry.losses++;
      if (entry.losses < this.#limits.losses) this.#again(entry, 'first');
      else this.#poison(entry, `its worker was lost ${entry.losses} times`);
    }
  }

  #again(entry: Entry, place: 'first' | 'last'): void {
    this.#jobs.again(entry, place);
    this.#forJobs.wake();
  }

  #poison(entry: Entry, reason: string): void {
    this.#jobs.remove(entry.id);
    this.#outcomes.poison(entry.id, reason);
    this.#ended();
  }

  #ended(): void {
    this.#forRoom.wake();
    if (this.#jobs.waiting + this.#jobs.leased === 0) this.#forDrain.wakeAll();
  }

  #wakeAtExpiry(): void {
    this.#endTimer?.();
    this.#endTimer = null;
    const next = this.#jobs.nextExpiry();
    if (next === null) return;
    this.#endTimer = this.#clock.after(Math.max(0, next - this.#now()), () => this.#forJobs.wake());
  }

  async renew(lease: Lease): Promise<boolean> {
    return this.#renewed(lease);
  }

  /** An expired lease still belongs to its holder until another worker takes the job. */
  #renewed({ id, token }: Lease): boolean {
    const held = this.#jobs.get(id)?.lease;
    if (held?.token !== token) return false;
    held.until = this.#now() + this.#limits.leaseMs;
    return true;
  }

  async acknowledge(lease: Lease, result: Json): Promise<Acknowledged> {
    const words = describeJob(lease.job.name);
    const acknowledged = this.#outcomes.insert(lease.id, encodeJson(result, `result of ${words}`), words);
    this.#jobs.remove(lease.id);
    this.#ended();
    return acknowledged;
  }

  async refuse(lease: Lease, { reason, counts = true }: Refusal): Promise<Refused> {
    const entry = this.#jobs.get(lease.id);
    if (entry?.lease?.token !== lease.token) return 'lost';
    if (counts) entry.failures++;
    if (entry.failures < this.#limits.attempts) {
      this.#again(entry, counts ? 'last' : 'first');
      return 'again';
    }
    this.#poison(entry, reason);
    return 'poisoned';
  }

  async outcomes(ids: readonly string[]): Promise<(Outcome | null)[]> {
    return ids.map((id) => this.#outcomes.read(id));
  }

  async conflicts(run: string): Promise<string[]> {
    return this.#outcomes.conflicts(run);
  }

  async watch(listen: (news: News) => void): Promise<() => void> {
    return this.#outcomes.watch(listen);
  }

  async cancel(ids: readonly string[]): Promise<number> {
    const waiting = ids.filter((id) => this.#jobs.get(id)?.lease === null);
    for (const id of waiting) this.#jobs.remove(id);
    this.#forRoom.wakeAll();
    this.#ended();
    return waiting.length;
  }

  async revive(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#outcomes.revive(id);
  }

  async runs(): Promise<string[]> {
    return [...new Set([...this.#jobs.ids().map(runOf), ...this.#outcomes.runs()])].sort();
  }

  async forget(run: string): Promise<void> {
    await this.cancel(this.#jobs.ids().filter((id) => runOf(id) === run));
    this.#outcomes.forget(run);
  }

  async counts() {
    this.#expire();
    return { waiting: this.#jobs.waiting, leased: this.#jobs.leased };
  }

  async announce(versions: Versions): Promise<void> {
    this.#versions = versions;
  }

  async announced(): Promise<Versions | null> {
    return this.#versions;
  }

  async join(report: WorkerReport, heartbeat?: number): Promise<Heart> {
    const every = heartbeatOf(heartbeat, this.#limits);
    return this.#workers.join(report, {
      every,
      clock: this.#clock,
      renew: (lease) => this.#renewed(lease),
    });
  }

  async workers(): Promise<WorkerReport[]> {
    return this.#workers.list();
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#forRoom.wakeAll();
    while (this.#jobs.waiting + this.#jobs.leased > 0 && !this.#isClosed) await this.#forDrain.wait();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endTimer?.();
    for (const line of [this.#forJobs, this.#forRoom, this.#forDrain]) line.wakeAll();
  }
}

function refusedToPut(job: Job): EmacError {
  return new EmacError(
    'interrupted',
    `queue: ${describeJob(job.name)} was not put, as the queue is draining or its user has stopped; put it again later`,
  );
}
