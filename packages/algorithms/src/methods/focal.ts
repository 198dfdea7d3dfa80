/**
 * Weighted imitation: answers the policy already knows hardly count. Each token of the expert's answer weighs (1 − p)²,
 * the focal loss of Lin et al. 2017 (arXiv 1708.02002, equation 4, γ = 2, without α) over the vocabulary. DAgger labels
 * every state repeatedly, and most labels are known early; the others keep their weight.
 */
import type { TokenLoss, Trainable } from '@emac/core';
import { behaviourCloning } from '@emac/losses';
import { imitation, type ImitationSample } from './imitation.ts';
import type { Method } from './method.ts';

/** −(1 − p)² log p of each token, in nats; the gradient flows through the weight too, as published. */
export const focalLoss: TokenLoss = {
  over: 'tokens',
  formula: (arithmetic, { logProbability }) => {
    const { exp, multiply, scale, shift } = arithmetic;
    const missed = shift(scale(exp(logProbability), -1), 1);
    return multiply(multiply(missed, missed), behaviourCloning(arithmetic, logProbability));
  },
};

/** Imitation with the focal loss; measured by −log p, as in behaviour cloning. */
export function focalImitation(policy: Trainable): Method<ImitationSample> {
  return imitation(policy, focalLoss);
}
