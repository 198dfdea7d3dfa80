/** Behaviour cloning: the cross-entropy of what the expert said, which is minus its log-probability. */
import type { Arithmetic } from './arithmetic.ts';

/** −mean token log-probability of each target, in nats per token; with a sum, nats per target. */
export function behaviourCloning<T>(arithmetic: Arithmetic<T>, meanLogProbability: T): T {
  return arithmetic.scale(meanLogProbability, -1);
}
