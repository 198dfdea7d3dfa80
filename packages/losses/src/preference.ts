/**
 * Shared by the preference losses: four log-probabilities, and the difference of the policy's and the reference's
 * log-ratios, h = (πw − πl) − (rw − rl) (Rafailov et al. 2023, equation 7, before β).
 */
import type { Arithmetic } from '@emac/core';

/** Log-probabilities of the chosen and the rejected answer, one element per pair; EMMA uses means over tokens. */
export interface PreferenceLogProbabilities<T> {
  readonly policyChosen: T;
  readonly policyRejected: T;
  readonly referenceChosen: T;
  readonly referenceRejected: T;
  /** KTO: how far the policy is from the reference, in nats, the same for a micro-batch */
  readonly divergence?: T;
}

export interface ReferencedOptions {
  /** inverse temperature β of the implicit reward */
  readonly beta: number;
  /** treats the reference as uniform */
  readonly referenceFree?: boolean;
}

/** h, or πw − πl alone with a uniform reference. */
export function logRatioDifference<T>(
  arithmetic: Arithmetic<T>,
  pairs: PreferenceLogProbabilities<T>,
  referenceFree = false,
): T {
  const policy = arithmetic.subtract(pairs.policyChosen, pairs.policyRejected);
  if (referenceFree) return policy;
  return arithmetic.subtract(policy, arithmetic.subtract(pairs.referenceChosen, pairs.referenceRejected));
}
