/**
 * The contract between producers of jobs and workers. Delivery is at least once: a lease that is not renewed expires,
 * and its job is leased again. Results count once: the first result under a job's name is stored, later ones are
 * compared with it and dropped. A job that fails `attempts` times, or loses its worker `losses` times, is poisoned: it
 * stops, with a reason.
 */
import type { Timers } from './clock.ts';
import type { Job } from './job.ts';
import type { Json } from './json.ts';
import type { Versions } from './versions.ts';

/** A job that belongs to one worker until the lease expires. */
export interface Lease {
  readonly id: string;
  readonly job: Job;
  /** the holder; each lease of a job has a new one */
  readonly token: string;
  /** 1 for the job's first lease */
  readonly attempt: number;
  /** digest of the required versions; null if none were announced */
  readonly versions: string | null;
}

/** How a job ended. */
export type Outcome = { readonly result: Json } | { readonly poisoned: string };

/** `counted`: the first; `duplicate`: equal to the stored one and dropped; `different`: dropped too, and remembered as a conflict. */
export type Acknowledged = 'counted' | 'duplicate' | 'different';

/**
 * `again`: it will be leased again; `poisoned`: it has stopped; `lost`: another worker holds the lease, nothing
 * happened.
 */
export type Refused = 'again' | 'poisoned' | 'lost';

export interface PutOptions {
  /** stops waiting for room */
  readonly signal?: AbortSignal | undefined;
}

export interface Refusal {
  /** the failure, without keys */
  readonly reason: string;
  /** false: the job is returned without counting a failure; default true */
  readonly counts?: boolean;
}

/** The five verbs. */
export interface Queue {
  /**
   * Puts jobs in order; resolves to the number of new ones. Jobs that wait, are leased or have an outcome are not new.
   * Waits while `bound` jobs wait (back-pressure). Errors: `usage` for an invalid job; `interrupted` when the signal
   * fires or the queue drains.
   */
  put(jobs: readonly Job[], options?: PutOptions): Promise<number>;
  /** Waits for the next job; null once the signal fires or the queue is closed. */
  lease(options?: { readonly signal?: AbortSignal | undefined }): Promise<Lease | null>;
  /** Restarts the lease's full time; false if it is lost. */
  renew(lease: Lease): Promise<boolean>;
  /**
   * Hands in a result; the first result counts even if the lease is lost. Errors: `usage` for a result that is too
   * large.
   */
  acknowledge(lease: Lease, result: Json): Promise<Acknowledged>;
  /** Gives a job up. */
  refuse(lease: Lease, refusal: Refusal): Promise<Refused>;
}

/** A worker's report. */
export interface WorkerReport {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly versions: Versions;
  readonly state: 'waiting' | 'working' | 'draining';
  /** the current job, in words; null between jobs */
  readonly job: string | null;
  /** the handler's progress report; null without one */
  readonly progress: Json;
  /** counted results, and failed handlers, since it joined */
  readonly done: number;
  readonly failed: number;
}

/** A worker's entry in a queue and its leases, renewed outside the thread that may be busy. */
export interface Heart {
  report(report: WorkerReport): void;
  /** Renews a lease until `release`; the signal fires when it is lost. */
  hold(lease: Lease): AbortSignal;
  release(lease: Lease): void;
  /** Throws if renewing has failed. Errors: `unavailable`. */
  check(): void;
  /** The worker leaves the list. */
  stop(): Promise<void>;
}

/** `outcome`: one more job has ended; `uncertain`: something may have been missed, look again. */
export type News = { readonly kind: 'outcome'; readonly id: string } | { readonly kind: 'uncertain' };

/** A queue with its outcomes, versions and workers. */
export interface JobQueue extends Queue {
  /** of the process that uses it: callers that look again later wait by these */
  readonly timers: Timers;
  /** outcomes of jobs; null for jobs without one yet */
  outcomes(ids: readonly string[]): Promise<(Outcome | null)[]>;
  /** descriptions of a run's jobs with two different results, sorted */
  conflicts(run: string): Promise<string[]>;
  /** calls `listen` for news until the returned function is called; news may be repeated or late */
  watch(listen: (news: News) => void): Promise<() => void>;
  /** cancels waiting jobs; leased ones continue. Resolves to the number cancelled. */
  cancel(ids: readonly string[]): Promise<number>;
  /** lets poisoned jobs be put again, from their first attempt */
  revive(ids: readonly string[]): Promise<void>;
  /** runs with outcomes or jobs here, sorted */
  runs(): Promise<string[]>;
  /** drops outcomes and conflicts of a run, and cancels its waiting jobs; leased ones continue */
  forget(run: string): Promise<void>;
  counts(): Promise<{ readonly waiting: number; readonly leased: number }>;
  /** sets the versions required of all jobs put from now on */
  announce(versions: Versions): Promise<void>;
  /** the versions announced last; null if none */
  announced(): Promise<Versions | null>;
  /**
   * joins the list of workers; renews the heart's leases and its report every so many milliseconds, default a third of
   * a lease. Errors: `usage` for more than half of a lease.
   */
  join(report: WorkerReport, every?: number): Promise<Heart>;
  /** live workers, by id */
  workers(): Promise<WorkerReport[]>;
  /** refuses new jobs from now on; resolves when none waits or is leased */
  drain(): Promise<void>;
  /** ends connections and waiting calls; stored data stays, unless the queue is in the process */
  close(): Promise<void>;
}

/** Live workers of a queue, by id, with their current jobs. */
export function listWorkers(queue: Pick<JobQueue, 'workers'>): Promise<WorkerReport[]> {
  return queue.workers();
}
