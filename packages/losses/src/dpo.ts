/**
 * Direct Preference Optimization (Rafailov et al. 2023, equation 7): −log σ(βh). With label smoothing ε it is
 * conservative DPO (Mitchell 2023): −(1 − ε) log σ(βh) − ε log σ(−βh), for labels that are wrong with probability ε.
 */
import type { Arithmetic } from '@emac/core';
import { logRatioDifference } from './preference.ts';
import type { PreferenceLogProbabilities, ReferencedOptions } from './preference.ts';

export interface DpoOptions extends ReferencedOptions {
  /** ε, 0 by default */
  readonly labelSmoothing?: number;
}

/** The loss of each pair, in nats. */
export function dpo<T>(
  arithmetic: Arithmetic<T>,
  pairs: PreferenceLogProbabilities<T>,
  { beta, labelSmoothing = 0, referenceFree = false }: DpoOptions,
): T {
  const { add, scale, logSigmoid } = arithmetic;
  const h = logRatioDifference(arithmetic, pairs, referenceFree);
  const right = scale(logSigmoid(scale(h, beta)), labelSmoothing - 1);
  if (labelSmoothing === 0) return right;
  return add(right, scale(logSigmoid(scale(h, -beta)), -labelSmoothing));
}
