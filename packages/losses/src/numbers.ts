/** The arithmetic on plain numbers (float64). */
import type { Arithmetic } from '@emac/core';

/** Exact where float64 is; `logSigmoid` neither overflows nor loses small results, for any finite argument. */
export const numbers: Arithmetic<number> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  scale: (a, factor) => a * factor,
  shift: (a, offset) => a + offset,
  exp: Math.exp,
  logSigmoid: (a) => Math.min(a, 0) - Math.log1p(Math.exp(-Math.abs(a))),
  logComplement: (a) => Math.log(-Math.expm1(a)),
  relu: (a) => Math.max(a, 0),
};
