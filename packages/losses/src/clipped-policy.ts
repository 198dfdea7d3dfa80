/**
 * PPO's policy loss (Schulman et al. 2017, equation 7), with a ratio per token or per answer: −min(ratio · A,
 * clamp(ratio, 1 − low, 1 + high) · A) − c · H, with ratio = π(answer) / π_sampled(answer). The entropy H is subtracted:
 * a coefficient c above 0 rewards it. DAPO (arXiv 2503.14476) has two bounds instead of one ε.
 *
 * RL4VLM (arXiv 2405.10292) has one ratio per answer, with log π = λ · thought + action; VL-DAC (arXiv 2508.04280) one
 * per token. RL4VLM's code also has a guard: for answers with a ratio above 10 it drops the minimum (`surrogate:
 * 'clamped'`). This bounds the loss of answers that became more likely although they should not.
 */
import { EmacError, type Arithmetic, type Loss } from '@emac/core';
import { creditedLoss, type CreditOptions } from './credited.ts';
import { clamp, minimum } from './extremes.ts';

export interface PolicyTerms<T> {
  /** of the answer or token, now */
  readonly logProbability: T;
  /** the same under the policy that sampled it */
  readonly sampledLogProbability: T;
  readonly advantage: T;
}

export interface Clipping {
  /** the ratio is clipped to 1 − low … 1 + high */
  readonly low: number;
  readonly high: number;
}

export interface SurrogateOptions {
  readonly clip: Clipping;
  /** `minimum`: PPO's; `clamped`: the clamped ratio alone */
  readonly surrogate: 'minimum' | 'clamped';
}

export interface PolicyLossOptions extends Pick<SurrogateOptions, 'clip'>, CreditOptions {}

/** −min(ratio · A, clamped ratio · A), or minus the second term alone. */
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
 * The loss for training. Rows give `advantage`, one number or one per token, and `sampledLogProbability`, one number per token. With a ratio
 * per answer they give one for the answer, and `factors`, one per token. Errors: `usage` for invalid options.
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
