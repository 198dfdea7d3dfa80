/**
 * The arithmetic on dual numbers, forward-mode differentiation: gives every loss over `Arithmetic` exact derivatives in
 * the values with slope 1.
 */
import type { Arithmetic } from '@emac/core';
import { numbers } from './numbers.ts';

export interface Dual {
  readonly value: number;
  readonly slope: number;
}

/** At the kink of `relu` the slope is 0. */
export const duals: Arithmetic<Dual> = {
  add: (a, b) => ({ value: a.value + b.value, slope: a.slope + b.slope }),
  subtract: (a, b) => ({ value: a.value - b.value, slope: a.slope - b.slope }),
  multiply: (a, b) => ({ value: a.value * b.value, slope: a.slope * b.value + a.value * b.slope }),
  scale: (a, factor) => ({ value: a.value * factor, slope: a.slope * factor }),
  shift: (a, offset) => ({ value: a.value + offset, slope: a.slope }),
  exp: (a) => ({ value: Math.exp(a.value), slope: a.slope * Math.exp(a.value) }),
  logSigmoid: (a) => ({
    value: numbers.logSigmoid(a.value),
    slope: a.slope * Math.exp(numbers.logSigmoid(-a.value)),
  }),
  // −eᵃ / (1 − eᵃ)
  logComplement: (a) => ({
    value: numbers.logComplement(a.value),
    slope: -a.slope / Math.expm1(-a.value),
  }),
  relu: (a) => (a.value > 0 ? a : { value: 0, slope: 0 }),
};
