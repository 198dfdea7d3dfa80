/** Slopes of a loss in the log-probabilities that it reads, by dual numbers (forward-mode differentiation). */
import type { Arithmetic, Loss } from '@emac/core';

interface Dual {
  readonly value: number;
  readonly slope: number;
}

const logSigmoid = (x: number): number => Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)));

const duals: Arithmetic<Dual> = {
  add: (a, b) => ({ value: a.value + b.value, slope: a.slope + b.slope }),
  subtract: (a, b) => ({ value: a.value - b.value, slope: a.slope - b.slope }),
  multiply: (a, b) => ({ value: a.value * b.value, slope: a.slope * b.value + a.value * b.slope }),
  scale: (a, factor) => ({ value: a.value * factor, slope: a.slope * factor }),
  shift: (a, offset) => ({ value: a.value + offset, slope: a.slope }),
  exp: (a) => ({ value: Math.exp(a.value), slope: a.slope * Math.exp(a.value) }),
  logSigmoid: (a) => ({ value: logSigmoid(a.value), slope: a.slope * Math.exp(logSigmoid(-a.value)) }),
  // −eᵃ / (1 − eᵃ)
  logComplement: (a) => ({ value: Math.log(-Math.expm1(a.value)), slope: -a.slope / Math.expm1(-a.value) }),
  relu: (a) => (a.value > 0 ? a : { value: 0, slope: 0 }),
};

/** This policy supports only losses of log-probabilities: entropies are NaN. */
const noEntropy: Dual = { value: NaN, slope: NaN };

/** One term of a loss: its value and its slope in each log-probability. */
export function derivativesOf(
  loss: Loss,
  logProbabilities: readonly number[],
  constants: Readonly<Record<string, number | ArrayLike<number>>>,
): { readonly value: number; readonly slopes: readonly number[] } {
  const along = (which: number): Dual => {
    const terms = logProbabilities.map((value, place) => ({ value, slope: place === which ? 1 : 0 }));
    const constant = (name: string): Dual => ({ value: Number(constants[name]), slope: 0 });
    return loss.over === 'answers'
      ? loss.formula(duals, { logProbabilities: terms, constant, entropies: [] })
      : loss.formula(duals, { logProbability: terms[0]!, constant, entropy: noEntropy });
  };
  const found = logProbabilities.map((_, which) => along(which));
  return { value: found[0]!.value, slopes: found.map(({ slope }) => slope) };
}
