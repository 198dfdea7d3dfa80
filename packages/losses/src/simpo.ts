/**
 * Simple Preference Optimization (Meng et al. 2024, arXiv 2405.14734, equation 6): −log σ(β(πw − πl) − γ), with the mean
 * log-probability of a token as reward and without a reference policy.
 */
import type { Arithmetic } from '@emac/core';
import type { PreferenceLogProbabilities } from './preference.ts';

export interface SimpoOptions {
  /** factor β on the mean log-probabilities */
  readonly beta: number;
  /** γ: the margin that the chosen answer's reward should have */
  readonly targetMargin?: number;
}

/** The loss of each pair, in nats; give it mean log-probabilities over tokens. */
export function simpo<T>(
  { subtract, scale, shift, logSigmoid }: Arithmetic<T>,
  { policyChosen, policyRejected }: Pick<PreferenceLogProbabilities<T>, 'policyChosen' | 'policyRejected'>,
  { beta, targetMargin = 0 }: SimpoOptions,
): T {
  const margin = scale(subtract(policyChosen, policyRejected), beta);
  return scale(logSigmoid(shift(margin, -targetMargin)), -1);
}
