/** The hinge loss on preferences (SLiC-HF, Zhao et al. 2023, in the normalised form of Liu et al. 2023): max(0, 1 − βh). */
import type { Arithmetic } from '@emac/core';
import { logRatioDifference } from './preference.ts';
import type { PreferenceLogProbabilities, ReferencedOptions } from './preference.ts';

/** The loss of each pair. */
export function hinge<T>(
  arithmetic: Arithmetic<T>,
  pairs: PreferenceLogProbabilities<T>,
  { beta, referenceFree = false }: ReferencedOptions,
): T {
  const { relu, shift, scale } = arithmetic;
  return relu(shift(scale(logRatioDifference(arithmetic, pairs, referenceFree), -beta), 1));
}
