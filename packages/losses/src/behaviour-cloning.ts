/** Behaviour cloning: the cross-entropy of the expert's answer, which is minus its log-probability. */
import type { Arithmetic } from '@emac/core';

/** −log-probability, in nats: of a token, or of a target given the mean or sum over its tokens. */
export function behaviourCloning<T>(arithmetic: Arithmetic<T>, logProbability: T): T {
  return arithmetic.scale(logProbability, -1);
}
