/**
 * Behaviour cloning of a policy's own answers, the more the better they turned out: −min(eᴬ, 10) · log π, the loss of `rlef` in RL4VLM's fork
 * (Bissmella/VLM_finetune). It is advantage-weighted regression (Peng et al., arXiv 1910.00177) with the temperature 1 and no correction for
 * the policy having changed since it answered: no ratio and no clip.
 */
import type { Arithmetic, Loss } from '@emac/core';
import { behaviourCloning } from './behaviour-cloning.ts';
import { creditedLoss, type CreditOptions } from './credited.ts';

/** The largest weight, as published. */
const limit = 10;

export interface WeightedAnswer<T> {
  /** of the answer or token, now */
  readonly logProbability: T;
  readonly advantage: T;
}

/** −min(eᴬ, 10) · log π; the exponent is bounded before it is raised, so that no advantage overflows. */
export function weightedImitation<T>(
  arithmetic: Arithmetic<T>,
  { logProbability, advantage }: WeightedAnswer<T>,
): T {
  const { exp, multiply, relu, scale, shift } = arithmetic;
  const most = Math.log(limit);
  const exponent = shift(scale(relu(shift(scale(advantage, -1), most)), -1), most);
  return multiply(exp(exponent), behaviourCloning(arithmetic, logProbability));
}

/** The loss as training uses it. Rows give `advantage` and, with a term an answer, `factors`, one for each of its tokens. Errors: `usage`. */
export function weightedImitationLoss(options: CreditOptions): Loss {
  return creditedLoss(options, (arithmetic, { logProbability, constant }) =>
    weightedImitation(arithmetic, { logProbability, advantage: constant('advantage') }),
  );
}
