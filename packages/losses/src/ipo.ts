/**
 * Identity Preference Optimization (Azar et al. 2023, equation 17): (h − 1/(2β))². Its authors normalise by length, so
 * give it mean log-probabilities over tokens. With sums it is the form in the first public DPO code.
 */
import type { Arithmetic } from '@emac/core';
import { logRatioDifference } from './preference.ts';
import type { PreferenceLogProbabilities, ReferencedOptions } from './preference.ts';

/** The loss of each pair; `beta` is the paper's τ. */
export function ipo<T>(
  arithmetic: Arithmetic<T>,
  pairs: PreferenceLogProbabilities<T>,
  { beta, referenceFree = false }: ReferencedOptions,
): T {
  const h = logRatioDifference(arithmetic, pairs, referenceFree);
  const distance = arithmetic.shift(h, -1 / (2 * beta));
  return arithmetic.multiply(distance, distance);
}
