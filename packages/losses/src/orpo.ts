/**
 * Odds Ratio Preference Optimization (Hong et al. 2024, arXiv 2403.07691, equations 4 and 7): −β log σ(log odds(w) − log
 * odds(l)), where odds = p / (1 − p) and p is the geometric mean of a token's probability; β is the paper's λ, and no
 * reference policy is needed. The paper's other term, −πw, is the mix ratio 1.
 */
import type { Arithmetic } from '@emac/core';
import type { PreferenceLogProbabilities } from './preference.ts';

/** Log-probabilities above −this count as −this: the odds of a certain answer are infinite. */
const certain = 1e-6;

/** The loss of each pair, in nats; give it mean log-probabilities over tokens. */
export function orpo<T>(
  arithmetic: Arithmetic<T>,
  { policyChosen, policyRejected }: Pick<PreferenceLogProbabilities<T>, 'policyChosen' | 'policyRejected'>,
  { beta }: { readonly beta: number },
): T {
  const { subtract, scale, logSigmoid } = arithmetic;
  const ratio = subtract(logOdds(arithmetic, policyChosen), logOdds(arithmetic, policyRejected));
  return scale(logSigmoid(ratio), -beta);
}

function logOdds<T>({ subtract, scale, shift, relu, logComplement }: Arithmetic<T>, logProbability: T): T {
  const below = shift(scale(relu(shift(scale(logProbability, -1), -certain)), -1), -certain);
  return subtract(below, logComplement(below));
}
