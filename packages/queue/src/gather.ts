/**
 * Collects the results of a list of jobs, in list order. Stored results are not requested again, so an interrupted run
 * resumes. It stops at the first poisoned job, and at any difference between two results of one job.
 */
import { EmacError } from '@emac/core';
import { describeJob, jobId, type Job } from './job.ts';
import type { Json } from './json.ts';
import type { JobQueue, News, Outcome } from './queue.ts';

export interface GatherOptions {
  /** stops it: waiting jobs are cancelled; leased jobs continue, and the next `gather` finds their results */
  readonly signal?: AbortSignal | undefined;
  /** called with the number of results so far */
  readonly report?: ((done: number) => void) | undefined;
  /** called once every job without a result is in the queue */
  readonly put?: (() => void) | undefined;
  /** called with each result and its job's index in the list */
  readonly each?: ((place: number, result: Json) => void) | undefined;
  /** interval for checking missed outcomes and re-putting lost jobs, in milliseconds; default 30,000 */
  readonly recheckMs?: number | undefined;
}

/** largest number of jobs in one request */
const atOnce = 500;

/**
 * Puts jobs and waits for all results. Errors: `usage` for invalid jobs or equal names; `interrupted` (75) naming a
 * poisoned job, or when the signal fires; `check-failed` if two workers disagree; those of the queue.
 */
export async function gather(
  queue: JobQueue,
  jobs: readonly Job[],
  options: GatherOptions = {},
): Promise<Json[]> {
  const gathering = new Gathering(queue, jobs, options);
  return gathering.run();
}

/**
 * The same, result by result as they arrive, each with its job's index in the list. Ends if the caller stops iterating,
 * as by the signal. Errors: as `gather`, after the results that came before.
 */
export async function* gatherEach(
  queue: JobQueue,
  jobs: readonly Job[],
  options: GatherOptions = {},
): AsyncGenerator<readonly [place: number, result: Json]> {
  const come: (readonly [number, Json])[] = [];
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  let end: { readonly thrown?: unknown } | null = null;
  let wake = (): void => {};
  const each = (place: number, result: Json): void => {
    come.push([place, result]);
    options.each?.(place, result);
    wake();
  };
  const over = (ended: { readonly thrown?: unknown }): void => {
    end = ended;
    wake();
  };
  const gathering = gather(queue, jobs, { ...options, signal, each }).then(
    () => over({}),
    (thrown: unknown) => over({ thrown }),
  );
  try {
    for (;;) {
      const next = come.shift();
      if (next) yield next;
      else if (end) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stop.abort();
    await gathering;
  }
  if ('thrown' in end) throw (end as { readonly thrown: unknown }).thrown;
}

class Gathering {
  readonly #queue: JobQueue;
  readonly #jobs: readonly Job[];
  readonly #options: GatherOptions;
  readonly #ids: readonly string[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #results = new Map<string, Json>();
  /** in the queue, without an outcome */
  readonly #outstanding = new Set<string>();
  /** jobs with news */
  readonly #heard = new Set<string>();
  readonly #stop = new AbortController();
  /** fires at the end, and when the caller stops */
  readonly #over: AbortSignal;
  /** being put */
  #atHand: readonly string[] = [];
  #isUncertain = false;
  #fault: { readonly thrown: unknown } | null = null;
  #wake = (): void => {};

  constructor(queue: JobQueue, jobs: readonly Job[], options: GatherOptions) {
    this.#queue = queue;
    this.#jobs = jobs;
    this.#options = options;
    this.#over = AbortSignal.any([this.#stop.signal, ...(options.signal ? [options.signal] : [])]);
    this.#ids = jobs.map(({ name }) => jobId(name));
    this.#places = new Map(this.#ids.map((id, index) => [id, index]));
    const again = this.#ids.findIndex((id, index) => this.#places.get(id) !== index);
    if (again >= 0)
      throw new EmacError(
        'usage',
        `gather: every job needs its own name, got ${this.#words(this.#ids[again]!)} twice`,
      );
  }

  async run(): Promise<Json[]> {
    const { signal } = this.#options;
    const unwatch = await this.#queue.watch((news) => this.#hear(news));
    const aborted = (): void => this.#wake();
    signal?.addEventListener('abort', aborted);
    try {
      await this.#takeStored();
      await this.#collected();
      await this.#checkConflicts();
      return this.#ids.map((id) => this.#results.get(id)!);
    } finally {
      signal?.removeEventListener('abort', aborted);
      unwatch();
    }
  }

  async #collected(): Promise<void> {
    const putting = this.#putMissing().catch((thrown: unknown) => this.#fail(thrown));
    try {
      await this.#collect();
    } catch (thrown) {
      this.#stop.abort();
      await putting;
      // waiting jobs are cancelled; the fault that ended the gathering is thrown
      await this.#queue.cancel([...this.#outstanding, ...this.#atHand]).catch(() => 0);
      throw thrown;
    }
    await putting;
  }

  #fail(thrown: unknown): void {
    this.#fault = { thrown };
    this.#wake();
  }

  #hear(news: News): void {
    if (news.kind === 'uncertain') this.#isUncertain = true;
    else if (this.#places.has(news.id)) this.#heard.add(news.id);
    this.#wake();
  }

  /** Results of an earlier gathering count; its poisoned jobs are retried. */
  async #takeStored(): Promise<void> {
    for (const ids of chunks(this.#ids)) {
      const outcomes = await this.#queue.outcomes(ids);
      const isPoisoned = (index: number): boolean => 'poisoned' in (outcomes[index] ?? {});
      const poisoned = ids.filter((_, index) => isPoisoned(index));
      if (poisoned.length > 0) await this.#queue.revive(poisoned);
      ids.forEach((id, index) => isPoisoned(index) || this.#take(id, outcomes[index] ?? null));
    }
  }

  async #putMissing(): Promise<void> {
    for (const ids of chunks(this.#ids.filter((id) => !this.#results.has(id)))) {
      this.#atHand = ids;
      await this.#put(ids);
      for (const id of ids) if (!this.#results.has(id)) this.#outstanding.add(id);
      if (this.#over.aborted) return;
      this.#atHand = [];
    }
    this.#options.put?.();
  }

  async #put(ids: readonly string[]): Promise<void> {
    const jobs = ids.map((id) => this.#jobs[this.#places.get(id)!]!);
    try {
      await this.#queue.put(jobs, { signal: this.#over });
    } catch (thrown) {
      // after the end, the reason is reported elsewhere
      if (!this.#over.aborted) throw thrown;
    }
  }

  async #collect(): Promise<void> {
    while (this.#results.size < this.#ids.length) {
      if (this.#options.signal?.aborted) throw interrupted('stopped; finished jobs are stored');
      if (this.#fault) throw this.#fault.thrown;
      const heard = [...this.#heard];
      this.#heard.clear();
      await this.#look(heard);
      if (this.#isUncertain) await this.#lookAgain();
      if (this.#results.size < this.#ids.length && this.#heard.size === 0) await this.#news();
    }
  }

  /** Resolves at the next news, or at the time of the next check. */
  #news(): Promise<void> {
    const { recheckMs = 30_000, signal } = this.#options;
    return new Promise((resolve) => {
      const cancel = this.#queue.timers.after(recheckMs, () => {
        this.#isUncertain = true;
        this.#wake();
      });
      this.#wake = () => {
        cancel();
        this.#wake = () => {};
        resolve();
      };
      if (signal?.aborted || this.#fault) this.#wake();
    });
  }

  /** Finds missed outcomes, and puts jobs again that a queue without a disk has lost. */
  async #lookAgain(): Promise<void> {
    this.#isUncertain = false;
    await this.#look([...this.#outstanding]);
    for (const ids of chunks([...this.#outstanding])) await this.#put(ids);
  }

  async #look(ids: readonly string[]): Promise<void> {
    for (const some of chunks(ids.filter((id) => !this.#results.has(id)))) {
      const outcomes = await this.#queue.outcomes(some);
      some.forEach((id, index) => this.#take(id, outcomes[index] ?? null));
    }
  }

  #take(id: string, outcome: Outcome | null): void {
    if (!outcome) return;
    if ('poisoned' in outcome) throw interrupted(`${this.#words(id)} is poisoned: ${outcome.poisoned}`);
    this.#results.set(id, outcome.result);
    this.#outstanding.delete(id);
    this.#options.report?.(this.#results.size);
    this.#options.each?.(this.#places.get(id)!, outcome.result);
  }

  async #checkConflicts(): Promise<void> {
    const runs = [...new Set(this.#jobs.map(({ name }) => name.run))];
    const conflicts = (await Promise.all(runs.map((run) => this.#queue.conflicts(run)))).flat();
    if (conflicts.length > 0)
      throw new EmacError(
        'check-failed',
        `gather: equal jobs must give equal results, two workers disagree on ${conflicts[0]} (${conflicts.length} in all); find the one that differs, forget the run's results and start again, since the first was counted`,
      );
  }

  #words(id: string): string {
    return describeJob(this.#jobs[this.#places.get(id)!]!.name);
  }
}

function interrupted(what: string): EmacError {
  return new EmacError('interrupted', `gather: ${what}; start it again to resume`);
}

function* chunks(ids: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < ids.length; from += atOnce) yield ids.slice(from, from + atOnce);
}
