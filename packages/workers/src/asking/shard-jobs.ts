/**
 * The trainer's side of gradients on workers. Each shard of an update is a job, named by run, policy version, content
 * and index. So its result counts once, and a resumed run finds it again. Results are passed on in the order of the
 * shards, whatever the workers' speed. Results of old updates leave the queue, as those of steps and answers do.
 */
import { EmacError, invariant } from '@emac/core';
import type { Host, Workers } from '@emac/opening';
import { gatherEach, type Job, type JobName, type Json } from '@emac/queue';
import { programVersions } from '@emac/settings';
import { stillThere } from '../jobs/still-there.ts';
import { updateBlocks } from '../jobs/update-blocks.ts';
import { watchForWorkers } from '../jobs/watch-for-workers.ts';

/** The policy that computes: a run's student, its actor-critic, or its answering policy. */
export type GradientKind = 'gradient' | 'steps-gradient' | 'answers-gradient';

export interface ShardJobs {
  /** Call after so many updates: later requests belong to the next one. */
  at(updates: number): void;
  /**
   * Gradients in shard order, each read by its hash with `read`. Errors: those of queue and `read`; `interrupted`,
   * `check-failed` as `gather`.
   */
  gradients<T>(asked: AskedShards, read: (hash: string) => Promise<T>): AsyncGenerator<T>;
  /** names of the run's parts still in the queue */
  left(): readonly string[];
  /** Call before reporting the run as finished. Errors: as `requireAgreement`. */
  agreed(): Promise<void>;
  /** drops the finished run's results */
  forget(): Promise<void>;
}

export interface AskedShards {
  /** version of the policy */
  readonly policy: string;
  /** hashes of the shards' contents */
  readonly shards: readonly string[];
  /** further input for the worker */
  readonly input: Readonly<Record<string, Json>>;
  readonly signal: AbortSignal | undefined;
}

export interface ShardJobsOf {
  readonly kind: GradientKind;
  /** unique among the queue's runs; unchanged on resume */
  readonly run: string;
  /** hash of the plan workers open */
  readonly plan: string;
  readonly listener: Host['listener'];
}

export function shardJobs({ queue }: Workers, { kind, listener, ...of }: ShardJobsOf): ShardJobs {
  const blocks = updateBlocks(queue, { ...of, part: 'gradients', listener });
  let made = 0;
  return {
    at: (updates) => void (made = updates),
    left: () => blocks.left(made),
    agreed: () => blocks.agreed(made),
    forget: () => blocks.forget(made),
    async *gradients({ policy, shards, input, signal }, read) {
      const run = await blocks.of(made);
      const jobs = shards.map((shard, place): Job => {
        return {
          name: { kind, run, policy, task: shard, seed: 0, shard: place },
          input: { ...input, shard },
        };
      });
      await queue.announce(programVersions());
      const unwatch = await watchForWorkers(queue, listener);
      const come: string[] = [];
      let next = 0;
      try {
        for await (const [place, result] of gatherEach(queue, jobs, { signal })) {
          come[place] = (result as { readonly gradient: string }).gradient;
          for (; come[next] !== undefined; next++) {
            const result = { task: `part ${next} of a gradient`, run: of.run };
            yield await stillThere(result, () => read(come[next]!));
          }
        }
      } catch (thrown) {
        if (thrown instanceof EmacError && thrown.code === 'check-failed') await blocks.agreed(made + 1);
        throw thrown;
      } finally {
        unwatch();
      }
      invariant(next === shards.length, `gradients: got ${next} of ${shards.length} shards`);
    },
  };
}

/** A message: a worker has computed a shard. */
export function computed({ run, shard, task, policy }: JobName): string {
  return `computed ${run} shard ${shard}, rows ${task.slice(0, 12)}, policy ${policy.slice(0, 12)}`;
}
