/** Metrics of a batch of preference pairs; W and L in the published logs are the two rewards. */
import { EmacError } from '@emac/core';
import type { PreferenceLogProbabilities } from './preference.ts';

/** Means over the pairs. */
export interface PreferenceMetrics {
  /** β(πw − rw) */
  readonly chosenReward: number;
  /** β(πl − rl) */
  readonly rejectedReward: number;
  /** chosen less rejected reward */
  readonly margin: number;
  /** share of pairs with the larger reward for the chosen answer */
  readonly accuracy: number;
  /** −πw */
  readonly nll: number;
}

/** Metrics of one or more pairs, on numbers. Errors: `internal` for an empty list. */
export function preferenceMetrics(
  pairs: readonly PreferenceLogProbabilities<number>[],
  { beta }: { readonly beta: number },
): PreferenceMetrics {
  if (pairs.length === 0) throw new EmacError('internal', 'preferenceMetrics: needs one pair or more, got 0');
  const mean = (of: (pair: PreferenceLogProbabilities<number>) => number) =>
    pairs.reduce((sum, pair) => sum + of(pair), 0) / pairs.length;
  const chosen = (pair: PreferenceLogProbabilities<number>) =>
    beta * (pair.policyChosen - pair.referenceChosen);
  const rejected = (pair: PreferenceLogProbabilities<number>) =>
    beta * (pair.policyRejected - pair.referenceRejected);
  return {
    chosenReward: mean(chosen),
    rejectedReward: mean(rejected),
    margin: mean((pair) => chosen(pair) - rejected(pair)),
    accuracy: mean((pair) => (chosen(pair) > rejected(pair) ? 1 : 0)),
    nll: mean((pair) => -pair.policyChosen),
  };
}
