/**
 * The contract between those who want jobs done and workers. Delivery is at least once: a lease that is not renewed
 * expires, and its job is leased again. Effect is once: the first result under a job's name is stored, every later one is
 * compared with it and dropped. A job that fails `attempts` times, or loses its worker `losses` times, is poisoned: it stops
 * and says why.
 */
import type { Job } from './job.ts';
import type { Json } from './json.ts';
import type { Versions } from './versions.ts';

/** A job that is a worker's until the lease expires. */
export interface Lease {
  readonly id: string;
  readonly job: Job;
  /** who holds it: another lease of the same job has another */
  readonly token: string;
  /** 1 for the first time that the job is leased */
  readonly attempt: number;
  /** digest of the versions that its result is wanted of; null where nobody has said */
  readonly versions: string | null;
}

/** How a job ended. */
export type Outcome = { readonly result: Json } | { readonly poisoned: string };

/** `counted`: the first; `duplicate`: equal to the stored one and dropped; `different`: dropped too, and remembered as a conflict. */
export type Acknowledged = 'counted' | 'duplicate' | 'different';

/** `again`: it will be leased again; `poisoned`: it has stopped; `lost`: the lease was another's already, nothing happened. */
export type Refused = 'again' | 'poisoned' | 'lost';

export interface PutOptions {
  /** ends the waiting for room */
  readonly signal?: AbortSignal | undefined;
}

export interface Refusal {
  /** what went wrong, without keys */
  readonly reason: string;
  /** false: the job is given back and nothing is held against it; default true */
  readonly counts?: boolean;
}

/** The five verbs. */
export interface Queue {
  /**
   * Puts jobs in order and resolves to how many are new; those that wait, are leased or have an outcome already are not.
   * Waits while `bound` jobs wait (back-pressure). Errors: `usage` for a job that may not be put; `interrupted` when the
   * signal fires or the queue drains.
   */
  put(jobs: readonly Job[], options?: PutOptions): Promise<number>;
  /** Waits for the next job; null once the signal fires or the queue is closed. */
  lease(options?: { readonly signal?: AbortSignal | undefined }): Promise<Lease | null>;
  /** The lease lasts its full time again; false where it is lost. */
  renew(lease: Lease): Promise<boolean>;
  /** Hands in a result; a lost lease is no reason to drop one that is the first. Errors: `usage` for a result that is too large. */
  acknowledge(lease: Lease, result: Json): Promise<Acknowledged>;
  /** Gives a job up. */
  refuse(lease: Lease, refusal: Refusal): Promise<Refused>;
}

/** What a worker says of itself. */
export interface WorkerReport {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly versions: Versions;
  readonly state: 'waiting' | 'working' | 'draining';
  /** the job at hand, in words; null between jobs */
  readonly job: string | null;
  /** what the handler has said of its progress; null for nothing */
  readonly progress: Json;
  /** results that counted, and handlers that failed, since it joined */
  readonly done: number;
  readonly failed: number;
}

/** A worker's place in a queue, renewed outside the thread that may be busy, as are the leases that it holds. */
export interface Heart {
  report(report: WorkerReport): void;
  /** Renews a lease until `release`; the signal fires when it is lost. */
  hold(lease: Lease): AbortSignal;
  release(lease: Lease): void;
  /** Throws where renewing has broken down. Errors: `unavailable`. */
  check(): void;
  /** The worker leaves the list. */
  stop(): Promise<void>;
}

/** `outcome`: one more job has ended; `uncertain`: something may have been missed, look again. */
export type News = { readonly kind: 'outcome'; readonly id: string } | { readonly kind: 'uncertain' };

/** A queue with what belongs to it: outcomes, versions and workers. */
export interface JobQueue extends Queue {
  /** outcomes of jobs, null for those that have none yet */
  outcomes(ids: readonly string[]): Promise<(Outcome | null)[]>;
  /** jobs of a run that two workers have given different results for, in words, sorted */
  conflicts(run: string): Promise<string[]>;
  /** calls `listen` for news until the returned function is called; news may be repeated, and come late */
  watch(listen: (news: News) => void): Promise<() => void>;
  /** takes jobs back that wait; those that are leased go on. Resolves to how many. */
  cancel(ids: readonly string[]): Promise<number>;
  /** from now on poisoned jobs may be put again, from their first attempt */
  revive(ids: readonly string[]): Promise<void>;
  /** runs that have outcomes or jobs here, sorted */
  runs(): Promise<string[]>;
  /** drops outcomes and conflicts of a run, and takes its jobs back that wait; those that are leased go on */
  forget(run: string): Promise<void>;
  counts(): Promise<{ readonly waiting: number; readonly leased: number }>;
  /** says which versions the results of all jobs put from now on are wanted of */
  announce(versions: Versions): Promise<void>;
  /** the versions announced last; null where none were */
  announced(): Promise<Versions | null>;
  /**
   * joins the list of workers; leases that the heart holds and its report are renewed every so many milliseconds,
   * default a third of a lease. Errors: `usage` for more than half of one.
   */
  join(report: WorkerReport, every?: number): Promise<Heart>;
  /** workers that are alive, by id */
  workers(): Promise<WorkerReport[]>;
  /** from now on nothing is put here; resolves when nothing waits and nothing is leased */
  drain(): Promise<void>;
  /** ends connections and waiting leases; what is stored stays, unless the queue lives in the process */
  close(): Promise<void>;
}

/** Workers of a queue that are alive, by id: who they are and what they do. */
export function listWorkers(queue: Pick<JobQueue, 'workers'>): Promise<WorkerReport[]> {
  return queue.workers();
}
