/** Exact derivatives of losses on numbers without a second formula: the losses run on dual numbers. */
import type { Arithmetic, ValueLoss } from '@emac/core';
import { duals, type Dual } from './duals.ts';
import type { PreferenceLogProbabilities } from './preference.ts';

export interface PreferenceDerivatives {
  readonly loss: number;
  /** dL/dπw and dL/dπl */
  readonly chosen: number;
  readonly rejected: number;
}

/**
 * A preference loss and its slopes in the policy's two log-probabilities; `loss` is any loss over `Arithmetic`, as in
 * `(a, pairs) => dpo(a, pairs, { beta: 0.1 })`.
 */
export function preferenceDerivatives(
  loss: <T>(arithmetic: Arithmetic<T>, pairs: PreferenceLogProbabilities<T>) => T,
  pairs: PreferenceLogProbabilities<number>,
): PreferenceDerivatives {
  const along = (name: 'policyChosen' | 'policyRejected'): Dual => {
    const dual = (key: keyof typeof pairs): Dual => ({
      value: pairs[key] ?? NaN,
      slope: key === name ? 1 : 0,
    });
    return loss(duals, {
      policyChosen: dual('policyChosen'),
      policyRejected: dual('policyRejected'),
      referenceChosen: dual('referenceChosen'),
      referenceRejected: dual('referenceRejected'),
      divergence: dual('divergence'),
    });
  };
  const chosen = along('policyChosen');
  return { loss: chosen.value, chosen: chosen.slope, rejected: along('policyRejected').slope };
}

/** A term of a value loss, and its slope in the value. */
export function valueTerm(
  { formula }: ValueLoss,
  value: number,
  constant: (name: string) => number,
): { readonly loss: number; readonly slope: number } {
  const term = formula(duals, {
    value: { value, slope: 1 },
    constant: (name) => ({ value: constant(name), slope: 0 }),
  });
  return { loss: term.value, slope: term.slope };
}
