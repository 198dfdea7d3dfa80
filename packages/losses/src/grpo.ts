/**
 * The loss of group relative policy optimization (GRPO; Shao et al., arXiv 2402.03300, equation 3) per token of an answer: PPO's clipped
 * surrogate with the answer's advantage in its group, plus β times an estimate of the divergence from a reference, KL(π ‖ reference), by default k3.
 * With one gradient step per batch the ratio is 1, and clipping changes nothing.
 *
 * GSPO (Zheng et al., arXiv 2507.18071, equations 5 and 7) has one ratio per answer y: that of the answer's probabilities to the power
 * of 1 / |y|, which is e to the mean of its tokens' log-ratios.
 *
 * There are four ways to combine the tokens' terms into one number. They differ only in the weight of each answer's tokens
 * (`answerWeights`), so the loss is one formula. Sign: estimates take reference less policy, since the policy sampled the answers.
 */
import { EmacError, type Arithmetic, type Loss } from '@emac/core';
import { clippedSurrogate, type Clipping, type PolicyTerms } from './clipped-policy.ts';
import { divergenceEstimates, type DivergenceEstimate } from './divergence.ts';

export interface GrpoTerms<T> extends PolicyTerms<T> {
  /** the token's log-probability under the reference, such as the policy with its adapter off; read if β is above 0 */
  referenceLogProbability(): T;
}

export interface GrpoLossOptions {
  /** null: the ratio is not clipped */
  readonly clip: Clipping | null;
  /** β ≥ 0: penalty per nat of divergence from the reference */
  readonly beta: number;
  /** default `k3` */
  readonly estimate?: DivergenceEstimate | undefined;
  /** of each token, or of each answer as in GSPO, which has no penalty in the loss; default `token` */
  readonly ratio?: RatioOf | undefined;
}

export const ratios = ['token', 'answer'] as const;
export type RatioOf = (typeof ratios)[number];

/** −min(ratio · A, clamped ratio · A) + β · estimate. */
export function grpoTerm<T>(
  arithmetic: Arithmetic<T>,
  terms: GrpoTerms<T>,
  { clip, beta, estimate = 'k3' }: GrpoLossOptions,
): T {
  const { add, exp, multiply, scale, subtract } = arithmetic;
  const { logProbability, sampledLogProbability, advantage } = terms;
  const surrogate = clip
    ? clippedSurrogate(arithmetic, terms, { clip, surrogate: 'minimum' })
    : scale(multiply(exp(subtract(logProbability, sampledLogProbability)), advantage), -1);
  if (beta === 0) return surrogate;
  const apart = subtract(terms.referenceLogProbability(), logProbability);
  const divergence = divergenceEstimates[estimate](arithmetic, apart);
  return add(surrogate, scale(divergence, beta));
}

/**
 * The loss for training. Rows give `advantage`, one number, and `sampledLogProbability` and, with β above 0,
 * `referenceLogProbability`, one number per token. With a ratio per answer `sampledLogProbability` is one number, the mean over its tokens;
 * the formula gives a value per answer. Errors: `usage` for invalid options.
 */
export function grpoLoss(options: GrpoLossOptions): Loss {
  const { clip, beta, ratio = 'token' } = options;
  if (clip && !(clip.low > 0 && clip.low <= 1 && clip.high > 0 && clip.high < Infinity))
    throw new EmacError(
      'usage',
      `GRPO's loss: clipping needs low from above 0 to 1 and high above 0, got ${clip.low} and ${clip.high}`,
    );
  if (!(beta >= 0 && beta < Infinity))
    throw new EmacError('usage', `GRPO's loss: beta must be 0 or above, got ${beta}`);
  if (ratio === 'answer' && beta > 0)
    throw new EmacError(
      'usage',
      `GRPO's loss: beta must be 0 with a ratio per answer, since the penalty is of tokens, got ${beta}`,
    );
  const term = <T>(
    arithmetic: Arithmetic<T>,
    logProbability: T,
    { constant }: { constant(name: string): T },
  ): T => {
    const [sampledLogProbability, advantage] = [constant('sampledLogProbability'), constant('advantage')];
    const referenceLogProbability = () => constant('referenceLogProbability');
    const terms = { logProbability, sampledLogProbability, advantage, referenceLogProbability };
    return grpoTerm(arithmetic, terms, options);
  };
  if (ratio === 'token')
    return {
      over: 'tokens',
      formula: (arithmetic, token) => term(arithmetic, token.logProbability, token),
    };
  return {
    over: 'answers',
    answers: 1,
    pooling: 'mean',
    formula: (arithmetic, answer) => term(arithmetic, answer.logProbabilities[0]!, answer),
  };
}
