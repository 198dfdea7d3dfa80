/**
 * Derivatives of a loss on numbers, by forward-mode differentiation: the loss is carried on dual numbers
 * (value, slope), so every loss written over `Arithmetic` has exact derivatives without a second formula.
 */
import type { Arithmetic } from '@emac/core';
import { numbers } from './numbers.ts';
import type { PreferenceLogProbabilities } from './preference.ts';

interface Dual {
  readonly value: number;
  readonly slope: number;
}

/** At the kink of `relu` the slope is 0. */
const duals: Arithmetic<Dual> = {
  add: (a, b) => ({ value: a.value + b.value, slope: a.slope + b.slope }),
  subtract: (a, b) => ({ value: a.value - b.value, slope: a.slope - b.slope }),
  multiply: (a, b) => ({ value: a.value * b.value, slope: a.slope * b.value + a.value * b.slope }),
  scale: (a, factor) => ({ value: a.value * factor, slope: a.slope * factor }),
  shift: (a, offset) => ({ value: a.value + offset, slope: a.slope }),
  logSigmoid: (a) => ({
    value: numbers.logSigmoid(a.value),
    slope: a.slope * Math.exp(numbers.logSigmoid(-a.value)),
  }),
  relu: (a) => (a.value > 0 ? a : { value: 0, slope: 0 }),
};

export interface PreferenceDerivatives {
  readonly loss: number;
  /** dL/dπw and dL/dπl */
  readonly chosen: number;
  readonly rejected: number;
}

/**
 * A preference loss and its slopes along the policy's two log-probabilities; `loss` is any loss over
 * `Arithmetic`, as in `(a, pairs) => dpo(a, pairs, { beta: 0.1 })`.
 */
export function preferenceDerivatives(
  loss: <T>(arithmetic: Arithmetic<T>, pairs: PreferenceLogProbabilities<T>) => T,
  pairs: PreferenceLogProbabilities<number>,
): PreferenceDerivatives {
  const along = (name: 'policyChosen' | 'policyRejected'): Dual => {
    const dual = (key: keyof typeof pairs): Dual => ({ value: pairs[key], slope: key === name ? 1 : 0 });
    return loss(duals, {
      policyChosen: dual('policyChosen'),
      policyRejected: dual('policyRejected'),
      referenceChosen: dual('referenceChosen'),
      referenceRejected: dual('referenceRejected'),
    });
  };
  const chosen = along('policyChosen');
  return { loss: chosen.value, chosen: chosen.slope, rejected: along('policyRejected').slope };
}
