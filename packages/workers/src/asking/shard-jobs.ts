/**
 * Gradients over workers, as who trains sees them: each shard of an update is a job, named by run, version of the policy, what it is of
 * and its place, so its result counts once and is found again where the run goes on. What comes back is handed on in the order of the
 * shards, whoever was first. Results of updates long over leave the queue, as those of steps and answers do.
 */
import { EmacError, invariant } from '@emac/core';
import type { Host, Workers } from '@emac/opening';
import { gatherEach, type Job, type JobName, type Json } from '@emac/queue';
import { programVersions } from '@emac/settings';
import { stillThere } from '../jobs/still-there.ts';
import { updateBlocks } from '../jobs/update-blocks.ts';
import { watchForWorkers } from '../jobs/watch-for-workers.ts';

/** Who computes: a run's student, its actor and critic, or its answerer. */
export type GradientKind = 'gradient' | 'steps-gradient' | 'answers-gradient';

export interface ShardJobs {
  /** So many updates are made: what is asked for now is of the next. */
  at(updates: number): void;
  /** Gradients of shards in their order, each as `read` gives it by its hash. Errors: those of queue and `read`; `interrupted`, `check-failed` as `gather`. */
  gradients<T>(asked: AskedShards, read: (hash: string) => Promise<T>): AsyncGenerator<T>;
  /** names of the run's parts that are in the queue still */
  left(): readonly string[];
  /** Before the run is called finished. Errors: as `requireAgreement`. */
  agreed(): Promise<void>;
  /** the run is over: nobody asks for its results any more */
  forget(): Promise<void>;
}

export interface AskedShards {
  /** version of the policy */
  readonly policy: string;
  /** hashes of what each is of */
  readonly shards: readonly string[];
  /** what a worker has to know beside its shard's hash */
  readonly input: Readonly<Record<string, Json>>;
  readonly signal: AbortSignal | undefined;
}

export interface ShardJobsOf {
  readonly kind: GradientKind;
  /** of its own among the runs of the queue, and the same where it goes on */
  readonly run: string;
  /** hash of what workers open */
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
      invariant(next === shards.length, `gradients: ${next} of ${shards.length} shards came`);
    },
  };
}

/** That a worker has computed a shard, in words. */
export function computed({ run, shard, task, policy }: JobName): string {
  return `computed ${run} shard ${shard}, rows ${task.slice(0, 12)}, policy ${policy.slice(0, 12)}`;
}
