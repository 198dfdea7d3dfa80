/**
 * Kahneman–Tversky Optimization (Ethayarajh et al. 2024, arXiv 2402.01306, equations 7 and 8) of a pair, whose chosen answer is
 * desirable and whose rejected one is not: the mean of λ_D·σ(β(z − (πw − rw))) and λ_U·σ(β((πl − rl) − z)), less the constant
 * of the paper. z is the reference point, an estimate of the divergence from the reference policy, without gradient.
 */
import { invariant, type AnswerLoss, type Arithmetic } from '@emac/core';
import type { PreferenceLogProbabilities } from './preference.ts';

export interface KtoOptions {
  readonly beta: number;
  /** λ_D, default 1 */
  readonly desirableWeight?: number;
  /** λ_U, default 1 */
  readonly undesirableWeight?: number;
}

/** The loss of each pair, from 0 to the mean of both weights; give it sums of log-probabilities, as published. */
export function kto<T>(
  { add, subtract, scale, exp, logSigmoid }: Arithmetic<T>,
  pair: PreferenceLogProbabilities<T>,
  { beta, desirableWeight = 1, undesirableWeight = 1 }: KtoOptions,
): T {
  const { divergence } = pair;
  invariant(divergence !== undefined, 'kto: a pair has no divergence of its micro-batch');
  const chosen = subtract(pair.policyChosen, pair.referenceChosen);
  const rejected = subtract(pair.policyRejected, pair.referenceRejected);
  // 1 − σ(x) = σ(−x)
  const missed = (margin: T, weight: number) => scale(exp(logSigmoid(scale(margin, beta))), weight / 2);
  return add(
    missed(subtract(divergence, chosen), desirableWeight),
    missed(subtract(rejected, divergence), undesirableWeight),
  );
}

/**
 * The same of single answers, each with its label: rows have one answer, and give `reference`, `divergence` and `sign`, 1 for a
 * desirable answer and −1 for another. Its weight is the row's.
 */
export function ktoLossOf({
  beta,
  averageLogProbabilities = true,
}: Pick<KtoOptions, 'beta'> & { readonly averageLogProbabilities?: boolean }): AnswerLoss {
  return {
    over: 'answers',
    answers: 1,
    pooling: averageLogProbabilities ? 'mean' : 'sum',
    formula: (arithmetic, { logProbabilities, constant }) => {
      const { subtract, multiply, scale, exp, logSigmoid } = arithmetic;
      const reward = subtract(logProbabilities[0]!, constant('reference'));
      const missed = multiply(constant('sign'), subtract(constant('divergence'), reward));
      return exp(logSigmoid(scale(missed, beta)));
    },
  };
}
