/** The operators, one namespace. */
export {
  add,
  divide,
  erf,
  exp,
  gelu,
  log,
  logSigmoid,
  multiply,
  negate,
  relu,
  scale,
  sigmoid,
  silu,
  sqrt,
  square,
  stopGradient,
  subtract,
  tanh,
} from './elementwise.ts';
export { reduceMean, reduceSum } from './reduce.ts';
export { concat, expand, gather, oneHot, reshape, slice, transpose } from './shape.ts';
export { and, cast, equal, less, lessOrEqual, not, or, range, where } from './logic.ts';
export { linear, matMul } from './matrix.ts';
export { layerNorm, rmsNorm } from './normalization.ts';
export { attention, logSoftmax, rotary, softmax } from './attention.ts';
export { labelLogProbabilities } from './label-log-probabilities.ts';
