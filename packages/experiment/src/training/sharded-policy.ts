/** A policy whose gradients are sums of shards, computed here or by workers; all else is unchanged. */
import {
  actorCriticInShards,
  gradientInShards,
  oneByOne,
  type ActorShardGradients,
  type ShardGradients,
} from '@emac/algorithms';
import type { ActorCritic, Trainable } from '@emac/core';

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
