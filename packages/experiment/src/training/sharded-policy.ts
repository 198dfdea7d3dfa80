/** A policy whose gradients are sums of shards, computed here or by workers; all else is unchanged. */
import {
  actorCriticInShards,
  gradientInShards,
  oneByOne,
  type ActorShardGradients,
  type MetricsLine,
  type ShardGradients,
} from '@emac/algorithms';
import type { ActorCritic, Trainable } from '@emac/core';
import type { TrainingPlan } from './plan.ts';
import type { Work } from './training-workers.ts';

export interface Shards<Each = ShardGradients> {
  /** 1: the policy as it is */
  readonly count: number;
  /** computes them; null: the policy itself */
  readonly each: Each | null;
}

/** The policy with its gradients in shards. */
export function inShards<Policy extends Pick<Trainable, 'gradient'>>(
  policy: Policy,
  { count, each }: Shards,
): Policy {
  if (count === 1) return policy;
  return { ...policy, gradient: gradientInShards(count, each ?? oneByOne(policy.gradient)) };
}

/** The same of an actor with a critic. */
export function actorInShards(
  actorCritic: ActorCritic,
  { count, each }: Shards<ActorShardGradients>,
): ActorCritic {
  if (count === 1) return actorCritic;
  return {
    ...actorCritic,
    gradient: actorCriticInShards(count, each ?? oneByOne(actorCritic.gradient)),
  };
}

/** The student of a run as its updates differentiate it. Errors, then: those of the student and of workers. */
export function learningPolicy({ plan, elsewhere }: Work): TrainingPlan['student'] {
  const { gradientShards: count } = plan.config.optimization;
  return inShards(plan.student, { count, each: elsewhere?.gradients.each ?? null });
}

/** Writes metrics; after an update's line, gradients belong to the next update. */
export function measuresOf({ run, elsewhere }: Pick<Work, 'run' | 'elsewhere'>) {
  return (line: MetricsLine): void => {
    run.metrics(line);
    if (line.kind === 'update') elsewhere?.gradients.at((line['update'] as number) + 1);
  };
}
