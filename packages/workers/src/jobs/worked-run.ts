/**
 * The trainer's side of a run on workers. A job is named by run, plan, part, policy version, task and number. So its
 * result counts once however often it is done, and a resumed run finds it again. A job is always done with the policy
 * version in its name, so no result is stale.
 */
import type { Asking } from '@emac/algorithms';
import { EmacError, messageOf } from '@emac/core';
import type { Host, Workers } from '@emac/opening';
import { gatherEach, type Job, type Json, type SharedFolder } from '@emac/queue';
import { programVersions } from '@emac/settings';
import { carry, type StoredHashes } from '../plan/carried.ts';
import type { Planned } from '../plan/plan.ts';
import { forgetting } from './forget-run.ts';
import { runResults, type RunResults } from './run-results.ts';
import { watchForWorkers } from './watch-for-workers.ts';

export interface RunParts extends Planned {
  readonly workers: Workers;
  /** unique among the queue's runs; unchanged on resume */
  readonly run: string;
  /** the task in names of jobs that have none of their own */
  readonly task: string;
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

/** A run whose jobs go to workers. */
export interface WorkedRun extends Pick<RunResults, 'agreed'> {
  readonly folder: SharedFolder;
  /**
   * Each result as `read` reads it, with its job's index; in the order of the jobs unless `asTheyCome`. Errors: as
   * `gather`, those of `read`; `missing` if a result's file is gone.
   */
  results<T>(
    asked: AskedJobs,
    read: (result: Json, place: number) => Promise<T>,
  ): AsyncGenerator<readonly [number, T]>;
  /** Drops the finished run's results; an unreachable queue is reported, not thrown. */
  forget(): Promise<void>;
}

export interface AskedJobs {
  /** `play`: episodes, steps, answers or scores by a policy version; `gradient`: loss gradients of rows */
  readonly verb: 'play' | 'gradient';
  /** separate from the run's other parts; gradients and updates have one each */
  readonly part: string;
  /** update of reinforcement learning that needs them, from 0; its results leave the queue 100 to 200 updates later */
  readonly update?: number | undefined;
  /** version of the policy */
  readonly version: string;
  readonly jobs: readonly AskedJob[];
  readonly asTheyCome?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** of requests ahead of their turn */
  readonly asking?: Asking | undefined;
}

export interface AskedJob {
  readonly task?: string;
  readonly seed: number;
  readonly shard?: number;
  /** the input besides the plan */
  readonly input: unknown;
}

/** The input of a job; `asked` is carried. */
export interface JobInput extends Planned {
  readonly asked: Json;
}

export function workedRun({ workers, run, plan, start, task, host }: RunParts): WorkedRun {
  const { queue, folder } = workers;
  const { agreed, forget, nameOf } = runResults({ queue, run, plan, host });
  let isAbandoned = false;
  return {
    folder,
    agreed,
    async *results({ verb: kind, part, update, version, jobs: asked, ...how }, read) {
      const of = { kind, run: await nameOf(part, update), policy: version, task, shard: 0 };
      const hashes: StoredHashes = new WeakMap();
      const jobs: Job[] = [];
      for (const { input, ...name } of asked) {
        const given = { plan, start, asked: await carry(folder, input, hashes) } satisfies JobInput;
        jobs.push({ name: { ...of, ...name }, input: given });
      }
      await queue.announce(programVersions());
      const unwatch = await watchForWorkers(queue, host.listener);
      const signal = eitherOf(host.signal, how.signal, how.asking?.signal);
      try {
        const come = gatherEach(queue, jobs, { signal, put: how.asking?.put });
        for await (const [place, result] of how.asTheyCome ? come : inOrder(come))
          yield [
            place,
            await stillThere({ task: jobs[place]!.name.task, run }, () => read(result, place)),
          ] as const;
      } catch (thrown) {
        isAbandoned ||= how.asking?.signal.aborted ?? false;
        if (thrown instanceof EmacError && thrown.code === 'check-failed') await agreed();
        throw thrown;
      } finally {
        unwatch();
      }
    },
    forget: () => forget(isAbandoned),
  };
}

/** Yields items in the order of their indices; early ones wait. */
async function* inOrder<T>(
  come: AsyncIterable<readonly [place: number, value: T]>,
): AsyncGenerator<readonly [place: number, value: T]> {
  const early = new Map<number, T>();
  let next = 0;
  for await (const [place, value] of come) {
    early.set(place, value);
    for (; early.has(next); next++) {
      yield [next, early.get(next)!];
      early.delete(next);
    }
  }
}

async function stillThere<T>(
  { task, run }: { readonly task: string; readonly run: string },
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    if (!(thrown instanceof EmacError) || ['data', 'usage'].includes(thrown.code))
      throw new EmacError(
        'data',
        `workers: the result of ${task} must be one of this program, ${messageOf(thrown)}; find who wrote it, then ${forgetting(run)} and start again`,
        { cause: thrown },
      );
    if (thrown.code !== 'missing') throw thrown;
    throw new EmacError(
      'missing',
      `workers: the shared folder must hold every result of the queue, the result of ${task} is missing (${thrown.message}); give the folder of that run, or ${forgetting(run)} and start again`,
      { cause: thrown },
    );
  }
}

function eitherOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}
