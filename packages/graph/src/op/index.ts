/** The operators, one namespace. */
export {
  add,
  divide,
  erf,
  exp,
  gelu,
  log,
  logComplement,
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
  swiglu,
  tanh,
} from './elementwise.ts';
export { reduceMean } from './reduce-mean.ts';
export { concat, reshape, slice, transpose } from './shape.ts';
export { expand, reduceSum } from './broadcast.ts';
export { gather, oneHot } from './rows.ts';
export { and, cast, equal, less, lessOrEqual, not, or, range, where } from './logic.ts';
export { linear, matMul } from './matrix.ts';
export { layerNorm, rmsNorm } from './normalization.ts';
export { attention, logSoftmax, rotary, softmax } from './attention.ts';
export { causalAttention } from './causal-attention.ts';
export { labelLogProbabilities } from './label-log-probabilities.ts';
export { abs, clip, cos, maximum, minimum, power, reciprocal, sign, sin } from './arithmetic.ts';
export {
  celu,
  elu,
  geluTanh,
  hardSigmoid,
  hardSwish,
  leakyRelu,
  prelu,
  selu,
  softplus,
  softsign,
  thresholdedRelu,
} from './activation.ts';
export { reduceMax, reduceMin } from './extremum.ts';
export { gatherElements, take, tile, triangle } from './arrangement.ts';
export { narrow, pad, split } from './section.ts';
export { convolution, transposedConvolution } from './convolution.ts';
export { averagePool, maxPool } from './pooling.ts';
