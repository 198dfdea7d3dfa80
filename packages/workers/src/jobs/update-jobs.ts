/**
 * What an update of reinforcement learning asks of workers: a job for each group, named by run, version of what learns, update and group. Results of
 * updates long over leave the queue while the run goes on; what is asked for again is done again.
 */
import type { Asking } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import type { Host, Workers } from '@emac/opening';
import { gather, type Job, type Json } from '@emac/queue';
import { programVersions } from '@emac/settings';
import { forgetLate } from './forget-late.ts';
import { updateBlocks } from './update-blocks.ts';
import { watchForWorkers } from './watch-for-workers.ts';

export interface UpdateJobs {
  /** Results of an update's jobs, group by group, where `asking` is given beside what goes on here. Errors: as `gather`. */
  done(asked: AskedUpdate, asking?: Asking): Promise<readonly Json[]>;
  /** Before a run of so many updates is called finished. Errors: as `requireAgreement`. */
  agreed(updates: number): Promise<void>;
  /** the run is over after so many updates: nobody asks for its results any more */
  forget(updates: number): Promise<void>;
}

export interface AskedUpdate {
  readonly update: number;
  /** of what learns */
  readonly version: string;
  /** of each group */
  readonly inputs: readonly Json[];
}

export interface UpdateJobsOf {
  readonly kind: 'steps' | 'answers' | 'attempts';
  /** of its own among the runs of the queue, and the same where it goes on */
  readonly run: string;
  /** hash of what workers open */
  readonly plan: string;
  readonly task: string;
  /** updates that may be asked before the one that learns is over; absent: none */
  readonly ahead?: number;
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

export function updateJobs(
  { queue }: Workers,
  { kind, run, plan, task, ahead, host }: UpdateJobsOf,
): UpdateJobs {
  const { agreed, forget, left, of } = updateBlocks(queue, {
    run,
    plan,
    part: kind,
    ahead,
    listener: host.listener,
  });
  const versions = programVersions();
  let isAbandoned = false;
  return {
    agreed,
    async done({ update, version, inputs }, asking) {
      const block = await of(update);
      const jobs = inputs.map((input, shard): Job => {
        return { name: { kind, run: block, policy: version, task, seed: update, shard }, input };
      });
      await queue.announce(versions);
      const unwatch = await watchForWorkers(queue, host.listener);
      try {
        return await gather(queue, jobs, { signal: eitherOf(host.signal, asking?.signal), put: asking?.put });
      } catch (thrown) {
        isAbandoned ||= asking?.signal.aborted ?? false;
        if (thrown instanceof EmacError && thrown.code === 'check-failed') await agreed(update + 1);
        throw thrown;
      } finally {
        unwatch();
      }
    },
    async forget(updates) {
      await forget(updates);
      if (isAbandoned) await forgetLate(queue, { run, parts: left(updates) }, host);
    },
  };
}

function eitherOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}
