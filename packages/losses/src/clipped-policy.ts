/**
 * PPO's policy loss (Schulman et al. 2017, equation 7), for a ratio of each token or of an answer as a whole:
 * −min(ratio · A, clamp(ratio, 1 − low, 1 + high) · A) − c · H, with ratio = π(answer) / π_sampled(answer). The entropy H
 * comes in with a minus: a coefficient c above 0 rewards it. Two bounds instead of one ε are DAPO's (arXiv 2503.14476).
 *
 * RL4VLM (arXiv 2405.10292) takes one ratio an answer, of log π = λ · thought + action, VL-DAC (arXiv 2508.04280) one a
 * token. RL4VLM's code also has a guard: where the ratio of an answer is above 10 it leaves the minimum out
 * (`surrogate: 'clamped'`), which bounds the loss of what became likelier and should not have.
 */
import { EmacError, type Arithmetic, type Loss } from '@emac/core';
import { creditedLoss, type CreditOptions } from './credited.ts';
import { clamp, minimum } from './extremes.ts';

export interface PolicyTerms<T> {
  /** of the answer or token, now */
  readonly logProbability: T;
  /** the same under the policy that drew it */
  readonly sampledLogProbability: T;
  readonly advantage: T;
}

export interface Clipping {
  /** the ratio counts between 1 − low and 1 + high */
  readonly low: number;
  readonly high: number;
}

export interface SurrogateOptions {
  readonly clip: Clipping;
  /** `minimum`: PPO's; `clamped`: the clamped ratio alone */
  readonly surrogate: 'minimum' | 'clamped';
}

export interface PolicyLossOptions extends Pick<SurrogateOptions, 'clip'>, CreditOptions {}

/** −min(ratio · A, clamped ratio · A), or minus the second alone. */
export function clippedSurrogate<T>(
  arithmetic: Arithmetic<T>,
  { logProbability, sampledLogProbability, advantage }: PolicyTerms<T>,
  { clip, surrogate }: SurrogateOptions,
): T {
  const { exp, multiply, scale, subtract } = arithmetic;
  const ratio = exp(subtract(logProbability, sampledLogProbability));
  const clamped = clamp(arithmetic, ratio, { low: 1 - clip.low, high: 1 + clip.high });
  const bounded = multiply(clamped, advantage);
  if (surrogate === 'clamped') return scale(bounded, -1);
  return scale(minimum(arithmetic, bounded, multiply(ratio, advantage)), -1);
}

/**
 * The loss as training uses it. Rows give `advantage`, a number, and `sampledLogProbability`, one number for each token or,
 * with a ratio an answer, one for the answer, and `factors`, one for each of its tokens. Errors: `usage` for invalid options.
 */
export function clippedPolicyLoss({ clip, ...options }: PolicyLossOptions): Loss {
  if (!(clip.low > 0 && clip.low <= 1 && clip.high > 0 && clip.high < Infinity))
    throw new EmacError(
      'usage',
      `policy loss: clipping needs low from above 0 to 1 and high above 0, got ${clip.low} and ${clip.high}`,
    );
  return creditedLoss(options, (arithmetic, { logProbability, constant }) => {
    const sampledLogProbability = constant('sampledLogProbability');
    const advantage = constant('advantage');
    const found = { logProbability, sampledLogProbability, advantage };
    return clippedSurrogate(arithmetic, found, { clip, surrogate: 'minimum' });
  });
}
