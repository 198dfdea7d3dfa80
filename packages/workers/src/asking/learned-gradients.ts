/**
 * Reinforcement-learning gradients, as jobs. Workers compute them with the policy they play or answer with, at a
 * version of all trainable parameters.
 */
import type { ActorShardGradients, ShardGradients } from '@emac/algorithms';
import type { ActorCritic } from '@emac/core';
import type { Host, Workers } from '@emac/opening';
import { readActorGradient, readGradient } from '../plan/gradient-file.ts';
import { storeLearned, type Learner } from '../plan/learned-version.ts';
import type { Planned } from '../plan/policy-plan.ts';
import { shardStore } from '../plan/shard-file.ts';
import { shardJobs, type GradientKind, type ShardJobs } from './shard-jobs.ts';

/** The input of `steps-gradient` and `answers-gradient` jobs; `shard` is the hash of an `ActorShard` or a `Shard`. */
export interface LearnedGradientInput extends Planned {
  readonly shard: string;
}

/** A run with gradients from workers. */
export interface RunGradients<Each> extends Pick<ShardJobs, 'at' | 'agreed' | 'forget'> {
  readonly each: Each;
}

export interface LearnedRun extends Planned {
  /** unique among the queue's runs; unchanged on resume */
  readonly run: string;
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

/**
 * For an actor with a critic. Errors while computing: those of queue and folder; `interrupted`, `check-failed` as
 * `gather`.
 */
export function runActorGradients(
  workers: Workers,
  { actorCritic, ...run }: LearnedRun & { readonly actorCritic: Pick<ActorCritic, 'groups'> },
): RunGradients<ActorShardGradients> {
  const { folder } = workers;
  const { jobs, asked } = jobsOf(workers, 'steps-gradient', run);
  const { policy, value } = actorCritic.groups;
  const groups = [...policy, ...value];
  const store = shardStore(folder);
  return {
    ...jobs,
    each: (shards, losses) => {
      const stored = shards.map((rows) => store.putActor({ rows, losses }));
      const learned = { policy: storeLearned(folder, { groups }), shards: stored };
      return jobs.gradients({ ...asked, ...learned }, (hash) => readActorGradient(folder, hash));
    },
  };
}

/** For a policy that answers. Errors: as `runActorGradients`. */
export function runAnswerGradients(
  workers: Workers,
  { policy, ...run }: LearnedRun & { readonly policy: Pick<Learner, 'groups'> },
): RunGradients<ShardGradients> {
  const { folder } = workers;
  const { jobs, asked } = jobsOf(workers, 'answers-gradient', run);
  const store = shardStore(folder);
  return {
    ...jobs,
    each: (shards, loss) => {
      const stored = shards.map((rows) => store.put({ rows, loss }));
      const learned = { policy: storeLearned(folder, policy), shards: stored };
      return jobs.gradients({ ...asked, ...learned }, (hash) => readGradient(folder, hash));
    },
  };
}

function jobsOf(workers: Workers, kind: GradientKind, { run, plan, start, host }: LearnedRun) {
  const jobs = shardJobs(workers, { kind, run, plan, listener: host.listener });
  return { jobs, asked: { input: { plan, start }, signal: host.signal } };
}
