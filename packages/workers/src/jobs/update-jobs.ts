/**
 * The jobs of a reinforcement-learning update: one per group, named by run, version of the trainable parameters, update
 * and group. Results of old updates leave the queue while the run continues; if asked for again, they are recomputed.
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
  /**
   * The results of an update's jobs, group by group; the caller's work alongside goes into `asking`. Errors: as
   * `gather`.
   */
  done(asked: AskedUpdate, asking?: Asking): Promise<readonly Json[]>;
  /** Call before reporting a run of so many updates as finished. Errors: as `requireAgreement`. */
  agreed(updates: number): Promise<void>;
  /** drops results once the run ends after so many updates */
  forget(updates: number): Promise<void>;
}

export interface AskedUpdate {
  readonly update: number;
  /** further jobs of the same update, such as groups that replace others, number from 1; default 0 */
  readonly draw?: number;
  /** version of the trainable parameters */
  readonly version: string;
  /** one per group */
  readonly inputs: readonly Json[];
}

export interface UpdateJobsOf {
  readonly kind: 'steps' | 'answers' | 'attempts';
  /** unique among the queue's runs; unchanged on resume */
  readonly run: string;
  /** hash of the plan workers open */
  readonly plan: string;
  readonly task: string;
  /** updates that may be requested before the trainer finishes one; absent: none */
  readonly ahead?: number;
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

/** more than an update has jobs */
const shardsAtMost = 2 ** 20;

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
    async done({ update, draw = 0, version, inputs }, asking) {
      const block = await of(update);
      const jobs = inputs.map((input, shard): Job => {
        const name = { kind, run: block, policy: version, task, seed: update };
        return { name: { ...name, shard: draw * shardsAtMost + shard }, input };
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
