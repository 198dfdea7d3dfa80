/** A policy whose gradients are sums of shards, here or elsewhere; everything else of it stays. */
import { gradientInShards, oneByOne, type ShardGradients } from '@emac/algorithms';
import type { Trainable } from '@emac/core';

export interface Shards {
  /** 1: the policy as it is */
  readonly count: number;
  /** who computes them; null for the policy itself */
  readonly each: ShardGradients | null;
}

/** The policy with its gradients in shards. */
export function inShards<Policy extends Pick<Trainable, 'gradient'>>(
  policy: Policy,
  { count, each }: Shards,
): Policy {
  if (count === 1) return policy;
  return { ...policy, gradient: gradientInShards(count, each ?? oneByOne(policy.gradient)) };
}
