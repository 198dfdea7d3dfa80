/** Gradients of reinforcement learning, as jobs: workers compute them in what they play or answer with, under a version of all that learns. */
import type { ActorShardGradients, ShardGradients } from '@emac/algorithms';
import type { ActorCritic } from '@emac/core';
import type { Host, Workers } from '@emac/opening';
import { readActorGradient, readGradient } from '../plan/gradient-file.ts';
import { storeLearned, type Learner } from '../plan/learned-version.ts';
import type { Planned } from '../plan/policy-plan.ts';
import { shardStore } from '../plan/shard-file.ts';
import { shardJobs, type GradientKind, type ShardJobs } from './shard-jobs.ts';

/** The input of a job of the kinds `steps-gradient` and `answers-gradient`; `shard` is the hash of an `ActorShard`, or of a `Shard`. */
export interface LearnedGradientInput extends Planned {
  readonly shard: string;
}

/** A run whose gradients workers compute. */
export interface RunGradients<Each> extends Pick<ShardJobs, 'at' | 'agreed' | 'forget'> {
  readonly each: Each;
}

export interface LearnedRun extends Planned {
  /** of its own among the runs of the queue, and the same where it goes on */
  readonly run: string;
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

/** Of an actor with a critic. Errors, as it is asked: those of queue and folder; `interrupted`, `check-failed` as `gather`. */
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

/** Of a policy that answers. Errors: as `runActorGradients`. */
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
