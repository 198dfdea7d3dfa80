/**
 * A worker: takes jobs, does them and returns results until stopped; then it finishes the current job and takes no
 * other. A failing handler counts against the job. A full disk, a missing permission or a different model is the
 * worker's own fault: it returns the job and stops, so another worker can do it.
 */
import { EmacError, LostEpisode, messageOf } from '@emac/core';
import { describeJob, type Job } from './job.ts';
import { encodeJson, type Json } from './json.ts';
import type { Acknowledged, Heart, JobQueue, Lease, WorkerReport } from './queue.ts';
import { checkVersions, versionsDigest, type Versions } from './versions.ts';

export interface WorkerIdentity {
  /** unique among the queue's workers */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly versions: Versions;
}

export interface HandlerContext {
  readonly attempt: number;
  /** fires when the lease is lost: another worker does the job now */
  readonly signal: AbortSignal;
  /** reports progress, for `listWorkers` */
  report(progress: Json): void;
}

/** Does one job; equal names must give equal results. */
export type Handler = (job: Job, context: HandlerContext) => Json | Promise<Json>;

export interface WorkerOptions {
  readonly queue: JobQueue;
  /** by kind of job */
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly identity: WorkerIdentity;
  /** interval between lease renewals, in milliseconds, at most half a lease; default a third of it */
  readonly heartbeat?: number | undefined;
  /** stops the worker */
  readonly signal?: AbortSignal | undefined;
}

export interface WorkerSummary {
  readonly counted: number;
  readonly duplicate: number;
  readonly different: number;
  readonly failed: number;
}

/**
 * Works until the signal fires or the queue is closed. Errors: `config` for versions that differ from the run's; the worker's own faults (`io`, `auth`, `cannot-create`, `unavailable`, `config`); those of
 * the queue.
 */
export async function runWorker(options: WorkerOptions): Promise<WorkerSummary> {
  const { queue, identity, heartbeat } = options;
  const wanted = await queue.announced();
  if (wanted) checkVersions(identity.id, identity.versions, wanted);
  const { id, host, pid, versions } = identity;
  const nothing = { state: 'waiting', job: null, progress: null, done: 0, failed: 0 } as const;
  const report: WorkerReport = { id, host, pid, versions, ...nothing };
  const heart = await queue.join(report, heartbeat);
  try {
    return await new Working(options, heart, report).run();
  } finally {
    await heart.stop();
  }
}

class Working {
  readonly #options: WorkerOptions;
  readonly #heart: Heart;
  readonly #tally = { counted: 0, duplicate: 0, different: 0, failed: 0 };
  #report: WorkerReport;

  constructor(options: WorkerOptions, heart: Heart, report: WorkerReport) {
    this.#options = options;
    this.#heart = heart;
    this.#report = report;
  }

  async run(): Promise<WorkerSummary> {
    const { queue, signal } = this.#options;
    const drain = (): void => this.#say({ state: 'draining' });
    signal?.addEventListener('abort', drain);
    try {
      for (;;) {
        this.#heart.check();
        const lease = await queue.lease({ signal });
        if (!lease) return this.#tally;
        await this.#work(lease);
      }
    } finally {
      signal?.removeEventListener('abort', drain);
    }
  }

  async #work(lease: Lease): Promise<void> {
    const lost = this.#heart.hold(lease);
    try {
      const handler = await this.#handlerFor(lease);
      this.#say({ state: this.#restingState('working'), job: describeJob(lease.job.name) });
      await this.#settle(lease, this.#judged(await this.#attempt(lease, handler, lost)));
    } finally {
      this.#heart.release(lease);
      const { counted, failed } = this.#tally;
      this.#say({ state: this.#restingState('waiting'), job: null, progress: null, done: counted, failed });
    }
  }

  async #handlerFor(lease: Lease): Promise<Handler> {
    const { handlers, identity, queue } = this.#options;
    const { kind } = lease.job.name;
    try {
      if (lease.versions !== null && lease.versions !== versionsDigest(identity.versions)) {
        checkVersions(identity.id, identity.versions, (await queue.announced()) ?? {});
        throw new EmacError(
          'config',
          `worker ${identity.id}: must have the versions of every run, run ${lease.job.name.run} started with others; start a worker with those, or forget that run`,
        );
      }
      // of equal versions no other worker has one either, so it counts against the job
      return Object.hasOwn(handlers, kind) ? handlers[kind]! : () => noHandler(identity.id, kind);
    } catch (thrown) {
      await queue.refuse(lease, { reason: messageOf(thrown), counts: false });
      throw thrown;
    }
  }

  async #attempt(lease: Lease, handler: Handler, lost: AbortSignal): Promise<Attempt> {
    const report = (progress: Json): void => this.#say({ progress });
    try {
      const result = await handler(lease.job, { attempt: lease.attempt, signal: lost, report });
      encodeJson(result, `result of ${describeJob(lease.job.name)}`);
      return { result };
    } catch (thrown) {
      return { thrown };
    }
  }

  /** A handler is not to blame if the heart failed first: it was told that its lease is lost. */
  #judged(attempt: Attempt): Attempt {
    if ('result' in attempt) return attempt;
    try {
      this.#heart.check();
      return attempt;
    } catch (thrown) {
      return { thrown };
    }
  }

  async #settle(lease: Lease, attempt: Attempt): Promise<void> {
    const { queue } = this.#options;
    if ('result' in attempt) {
      const acknowledged: Acknowledged = await queue.acknowledge(lease, attempt.result);
      this.#tally[acknowledged]++;
      return;
    }
    const isOwnFault = isFaultOfWorker(attempt.thrown);
    await queue.refuse(lease, {
      reason: messageOf(attempt.thrown).slice(0, longestReason),
      counts: !isOwnFault,
    });
    if (isOwnFault) throw attempt.thrown;
    this.#tally.failed++;
  }

  #restingState(state: WorkerReport['state']): WorkerReport['state'] {
    return this.#options.signal?.aborted ? 'draining' : state;
  }

  #say(said: Partial<WorkerReport>): void {
    this.#report = { ...this.#report, ...said };
    this.#heart.report(this.#report);
  }
}

function noHandler(worker: string, kind: string): never {
  throw new EmacError(
    'data',
    `worker ${worker}: has no handler for ${kind}; the queue was changed by another program`,
  );
}

type Attempt = { readonly result: Json } | { readonly thrown: unknown };

const longestReason = 2_000;

/** A lost episode is `unavailable` too, but not this worker's fault. */
function isFaultOfWorker(thrown: unknown): boolean {
  if (!(thrown instanceof EmacError) || thrown instanceof LostEpisode) return false;
  return ['io', 'auth', 'cannot-create', 'unavailable', 'config'].includes(thrown.code);
}
