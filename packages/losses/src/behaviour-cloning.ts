/** Behaviour cloning: the cross-entropy of what the expert said, which is minus its log-probability. */
import type { Arithmetic } from '@emac/core';

/** −log-probability, in nats: of a token, or of a target where it is the mean or the sum over its tokens. */
export function behaviourCloning<T>(arithmetic: Arithmetic<T>, logProbability: T): T {
  return arithmetic.scale(logProbability, -1);
}
