/** Test support: gradients of operators in exported networks. */
import type { DifferenceCase } from './finite-difference.test.support.ts';
import { op, type Shape, type Tensor } from './index.ts';

const unary = (f: (x: Tensor) => Tensor, interval?: readonly [number, number]): DifferenceCase => ({
  shapes: [[2, 4]],
  symbols: [['B', 4]],
  ...(interval ? { interval } : {}),
  build: ([x]) => f(x!),
});
const binary = (
  f: (a: Tensor, b: Tensor) => Tensor,
  interval?: readonly [number, number],
): DifferenceCase => ({
  shapes: [
    [2, 4],
    [2, 1],
  ],
  symbols: [
    ['B', 4],
    ['B', 1],
  ],
  ...(interval ? { interval } : {}),
  build: ([a, b]) => f(a!, b!),
});
const shaped = (
  shapes: readonly (readonly number[])[],
  symbols: readonly Shape[],
  build: DifferenceCase['build'],
): DifferenceCase => ({ shapes, symbols, build });

const plane = {
  strides: [2, 1],
  dilations: [1, 1],
  pads: [
    [1, 0],
    [0, 1],
  ],
} as const;

/** Intervals avoid jumps of a derivative, because central differences would step over them. */
export const networkCases: Record<string, DifferenceCase> = {
  abs: unary(op.abs, [0.1, 2]),
  'abs below 0': unary(op.abs, [-2, -0.1]),
  reciprocal: unary(op.reciprocal, [0.5, 2]),
  sin: unary(op.sin),
  cos: unary(op.cos),
  power: binary(op.power, [0.5, 2]),
  'power of negative numbers': {
    ...unary((x) => op.power(x, x.graph.scalar(3))),
    interval: [-2, -0.5],
  },
  maximum: binary(op.maximum),
  minimum: binary(op.minimum),
  'maximum at a tie': unary((x) => op.maximum(x, op.negate(op.negate(x)))),
  clip: {
    ...unary((x) =>
      op.clip(op.add(x, x.graph.constant(Float32Array.of(-9, -1, 1, 9), [4])), { low: -3, high: 3 }),
    ),
    interval: [-0.5, 0.5],
  },
  leakyRelu: unary((x) => op.leakyRelu(x, 0.3), [-2, -0.1]),
  elu: unary((x) => op.elu(x, 0.7), [-2, -0.1]),
  selu: unary((x) => op.selu(x, { alpha: 1.7, gamma: 1.1 }), [-2, -0.1]),
  celu: unary((x) => op.celu(x, 0.7), [-2, -0.1]),
  softplus: unary(op.softplus),
  softsign: unary(op.softsign),
  hardSigmoid: unary((x) => op.hardSigmoid(x, { alpha: 0.2, beta: 0.5 })),
  hardSwish: unary(op.hardSwish),
  geluTanh: unary(op.geluTanh),
  prelu: binary(op.prelu, [-2, -0.1]),
  thresholdedRelu: unary((x) => op.thresholdedRelu(x, -2)),
  reduceMax: unary((x) => op.reduceMax(x, [1])),
  'reduceMax of several axes': unary((x) => op.reduceMax(x, [0, 1], true)),
  reduceMin: unary((x) => op.reduceMin(x, [-1], true)),
  tile: unary((x) => op.tile(x, [2, 3])),
  triangle: shaped([[2, 3, 3]], [['B', 'T', 'T']], ([x]) => op.triangle(x!, { upper: true, diagonal: 1 })),
  take: shaped([[2, 3, 4]], [['B', 3, 4]], ([x], graph) =>
    op.take(x!, graph.constant(BigInt64Array.of(2n, 0n, 2n, 1n), [2, 2]), 1),
  ),
  gatherElements: shaped([[2, 3]], [[2, 3]], ([x], graph) =>
    op.gatherElements(x!, graph.constant(BigInt64Array.of(2n, 2n, 0n, 1n), [2, 2]), 1),
  ),
  narrow: shaped(
    [
      [2, 3],
      [5, 2],
    ],
    [
      ['B', 'T'],
      [5, 2],
    ],
    ([x, y]) => op.matMul(x!, op.narrow(y!, 0, { start: 1, length: 'T' })),
  ),
  split: shaped(
    [
      [2, 3, 2],
      [2, 2, 2],
    ],
    [
      ['B', 'T', 2],
      ['B', 'S', 2],
    ],
    ([x, y]) => {
      const [a, b] = op.split(op.concat([y!, x!], 1), ['S', 'T'], 1);
      return op.concat([op.square(b!), a!], 1);
    },
  ),
  pad: unary((x) =>
    op.pad(x, {
      amounts: [
        [0, 1],
        [2, 0],
      ],
      value: 3,
    }),
  ),
  convolution: shaped(
    [[2, 2, 5, 4], [3, 2, 2, 3], [3]],
    [['B', 2, 5, 4], [3, 2, 2, 3], [3]],
    ([x, w, bias]) => op.convolution(x!, w!, { ...plane, bias: bias! }),
  ),
  transposedConvolution: shaped(
    [[2, 2, 3], [2, 3, 2], [3]],
    [['B', 2, 'T'], [2, 3, 2], [3]],
    ([x, w, bias]) => op.transposedConvolution(x!, w!, { strides: [2], bias: bias! }),
  ),
  maxPool: shaped([[2, 2, 5, 4]], [['B', 2, 5, 4]], ([x]) => op.maxPool(x!, { ...plane, kernel: [2, 2] })),
  averagePool: shaped([[2, 2, 5, 4]], [['B', 2, 5, 4]], ([x]) =>
    op.averagePool(x!, { ...plane, kernel: [2, 2] }),
  ),
};
