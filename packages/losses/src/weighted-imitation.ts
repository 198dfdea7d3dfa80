/**
 * Behaviour cloning of a policy's own answers, weighted by their advantage: −min(eᴬ, 10) · log π, the loss of `rlef` in RL4VLM's fork
 * (Bissmella/VLM_finetune). It is advantage-weighted regression (Peng et al., arXiv 1910.00177) with temperature 1 and no correction for
 * policy changes since sampling: no ratio and no clip.
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

/** −min(eᴬ, 10) · log π; the exponent is clipped first, so no advantage overflows. */
export function weightedImitation<T>(
  arithmetic: Arithmetic<T>,
  { logProbability, advantage }: WeightedAnswer<T>,
): T {
  const { exp, multiply, relu, scale, shift } = arithmetic;
  const most = Math.log(limit);
  const exponent = shift(scale(relu(shift(scale(advantage, -1), most)), -1), most);
  return multiply(exp(exponent), behaviourCloning(arithmetic, logProbability));
}

/** The loss for training. Rows give `advantage` and, with a term per answer, `factors`, one per token. Errors: `usage`. */
export function weightedImitationLoss(options: CreditOptions): Loss {
  return creditedLoss(options, (arithmetic, { logProbability, constant }) =>
    weightedImitation(arithmetic, { logProbability, advantage: constant('advantage') }),
  );
}
