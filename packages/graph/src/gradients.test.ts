import { describe, expect, it } from 'vitest';
import { gradientError, type DifferenceCase } from './finite-difference.test.support.ts';
import { gradients, Graph, op, type Tensor } from './index.ts';
import { networkCases } from './network-cases.test.support.ts';

const B = 2;
const T = 3;
const positions = (graph: Graph) => graph.constant(BigInt64Array.of(0n, 1n, 2n, 2n, 0n, 3n), [B, T]);
const table = (graph: Graph, f: (angle: number) => number) =>
  graph.constant(
    Float32Array.from({ length: 8 }, (_, i) => f((i >> 1) * (i % 2 ? 0.1 : 1))),
    [4, 2],
  );

const unary = (f: (x: Tensor) => Tensor, interval?: readonly [number, number]): DifferenceCase => ({
  shapes: [[B, 4]],
  symbols: [['B', 4]],
  ...(interval ? { interval } : {}),
  build: ([x]) => f(x!),
});
const binary = (f: (a: Tensor, b: Tensor) => Tensor): DifferenceCase => ({
  shapes: [
    [B, T, 4],
    [T, 1],
  ],
  symbols: [
    ['B', 'T', 4],
    ['T', 1],
  ],
  interval: [0.5, 2],
  build: ([a, b]) => f(a!, b!),
});

const causal = (length: number, symbol: number | string = length): DifferenceCase => ({
  shapes: Array.from({ length: 3 }, () => [1, 2, length, 3]),
  symbols: Array.from({ length: 3 }, () => [1, 2, symbol, 3]),
  build: ([query, key, value], graph) => {
    const [rows, columns] = [
      [1, 1, symbol, 1],
      [1, 1, 1, symbol],
    ].map((shape) => op.reshape(op.range(query!, 2), shape));
    const bias = op.where(op.less(rows!, columns!), graph.scalar(-1e9), graph.scalar(0));
    return op.causalAttention({ query: query!, key: key!, value: value!, bias, scale: 0.5 });
  },
});

const cases: Record<string, DifferenceCase> = {
  ...networkCases,
  add: binary(op.add),
  subtract: binary(op.subtract),
  multiply: binary(op.multiply),
  divide: binary(op.divide),
  negate: unary(op.negate),
  exp: unary(op.exp),
  log: unary(op.log, [0.5, 2]),
  sqrt: unary(op.sqrt, [0.5, 2]),
  square: unary(op.square),
  relu: unary(op.relu, [0.1, 2]),
  tanh: unary(op.tanh),
  sigmoid: unary(op.sigmoid),
  erf: unary(op.erf),
  logSigmoid: unary(op.logSigmoid, [-4, 4]),
  logComplement: unary(op.logComplement, [-4, -0.1]),
  silu: unary(op.silu),
  swiglu: {
    shapes: [
      [B, 4],
      [B, 4],
    ],
    symbols: [
      ['B', 4],
      ['B', 4],
    ],
    build: ([gate, up]) => op.swiglu(gate!, up!),
  },
  gelu: unary(op.gelu),
  scale: unary((x) => op.scale(x, -2.5)),
  softmax: unary(op.softmax),
  logSoftmax: unary(op.logSoftmax),
  reduceSum: unary((x) => op.reduceSum(x, [0])),
  'reduceSum kept': unary((x) => op.reduceSum(x, [-1], true)),
  reduceMean: unary((x) => op.reduceMean(x, [-1])),
  'reduceMean over a symbol': unary((x) => op.reduceMean(x, [0, 1])),
  reshape: { shapes: [[B, T, 4]], symbols: [['B', 'T', 4]], build: ([x]) => op.reshape(x!, ['B*T', 2, 2]) },
  'reshape back to two symbols': {
    shapes: [[B, T, 4]],
    symbols: [['B', 'T', 4]],
    build: ([x]) => op.reshape(op.reshape(x!, ['B*T', 4]), ['B', 'T', 4]),
  },
  transpose: { shapes: [[B, T, 4]], symbols: [['B', 'T', 4]], build: ([x]) => op.transpose(x!, [2, 0, 1]) },
  concat: {
    shapes: [
      [B, 2, 4],
      [B, T, 4],
    ],
    symbols: [
      ['B', 2, 4],
      ['B', 'T', 4],
    ],
    build: ([a, b]) => op.concat([a!, b!], 1),
  },
  slice: { shapes: [[B, 5]], symbols: [['B', 5]], build: ([x]) => op.slice(x!, 1, { start: 1, end: 4 }) },
  'slice from the end of a symbol': {
    shapes: [[B, T]],
    symbols: [['B', 'T']],
    build: ([x]) => op.slice(x!, 1, { start: -2 }),
  },
  expand: { shapes: [[1, T]], symbols: [[1, 'T']], build: ([x]) => op.expand(x!, [B, 'T']) },
  gather: {
    shapes: [[5, 3]],
    build: ([x], graph) => op.gather(x!, graph.constant(BigInt64Array.of(4n, 0n, 4n, 2n), [2, 2])),
  },
  where: {
    shapes: [[B, 2], [2]],
    build: ([a, b], graph) =>
      op.where(
        op.equal(graph.constant(Int32Array.of(0, 1, 1, 0), [2, 2]), graph.constant(Int32Array.of(1), [])),
        a!,
        b!,
      ),
  },
  cast: unary((x) => op.cast(x, 'float32')),
  matMul: {
    shapes: [
      [B, T, 4],
      [B, 4, 2],
    ],
    symbols: [
      ['B', 'T', 4],
      ['B', 4, 2],
    ],
    build: ([a, b]) => op.matMul(a!, b!),
  },
  'matMul with both transposed': {
    shapes: [
      [B, 4, T],
      [B, 2, 4],
    ],
    symbols: [
      ['B', 4, 'T'],
      ['B', 2, 4],
    ],
    build: ([a, b]) => op.matMul(a!, b!, { transposeA: true, transposeB: true, scale: 0.5 }),
  },
  'matMul with a shared right side': {
    shapes: [
      [B, T, 4],
      [4, 2],
    ],
    symbols: [
      ['B', 'T', 4],
      [4, 2],
    ],
    build: ([a, b]) => op.matMul(a!, b!),
  },
  linear: {
    shapes: [[B, T, 4], [5, 4], [5]],
    symbols: [['B', 'T', 4], [5, 4], [5]],
    build: ([x, w, b]) => op.linear(x!, w!, b!),
  },
  layerNorm: {
    shapes: [[B, T, 4], [4], [4]],
    symbols: [['B', 'T', 4], [4], [4]],
    build: ([x, weight, bias]) => op.layerNorm(x!, { weight: weight!, bias: bias! }, 1e-6),
  },
  rmsNorm: {
    shapes: [[B, T, 4], [4]],
    symbols: [['B', 'T', 4], [4]],
    build: ([x, w]) => op.rmsNorm(x!, w!, 1e-6),
  },
  attention: {
    shapes: [
      [B, 2, T, 4],
      [B, 2, T, 4],
      [B, 2, T, 4],
    ],
    build: ([query, key, value], graph) =>
      op.attention({
        query: query!,
        key: key!,
        value: value!,
        scale: 0.5,
        bias: graph.constant(Float32Array.of(0, -1e9, -1e9, 0, 0, -1e9, 0, 0, 0), [T, T]),
      }),
  },
  'attention with one bias for all queries': {
    shapes: [
      [B, 2, T, 4],
      [B, 2, T, 4],
      [B, 2, T, 4],
    ],
    build: ([query, key, value], graph) =>
      op.attention({
        query: query!,
        key: key!,
        value: value!,
        scale: 0.5,
        bias: graph.constant(Float32Array.of(0, 0, -1e9, 0, -1e9, 0), [B, 1, 1, T]),
      }),
  },
  causalAttention: causal(5),
  'causalAttention of an unknown even length': causal(4, '1+S'),
  rotary: {
    shapes: [[B, 2, T, 4]],
    symbols: [['B', 2, 'T', 4]],
    build: ([x], graph) =>
      op.rotary(x!, {
        positionIds: positions(graph),
        cos: table(graph, Math.cos),
        sin: table(graph, Math.sin),
      }),
  },
  labelLogProbabilities: {
    shapes: [[3, 5]],
    build: ([logits], graph) =>
      op.labelLogProbabilities(logits!, graph.constant(BigInt64Array.of(1n, 4n, 0n), [3])),
  },
};

describe('gradients', () => {
  it.each(Object.entries(cases))('of %s match finite differences', async (_name, testCase) => {
    expect(await gradientError(testCase)).toBeLessThan(2e-3);
  });

  it('cover every differentiable operator', () => {
    const withoutGradient = [
      'and',
      'equal',
      'less',
      'lessOrEqual',
      'not',
      'oneHot',
      'or',
      'range',
      'sign',
      'stopGradient',
    ];
    const covered = new Set(Object.keys(cases).map((name) => name.split(' ')[0]!));
    expect(Object.keys(op).filter((name) => !withoutGradient.includes(name) && !covered.has(name))).toEqual(
      [],
    );
  });

  it('that are wrong are found: the check itself can fail', async () => {
    const wrong = unary((x) =>
      x.graph.withOrigin(op.square(x), { inputs: [x], vjp: (g) => [op.multiply(g, x)] }),
    );
    expect(await gradientError(wrong)).toBeGreaterThan(0.1);
  });

  it('of an unused input are an error that names it', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', []);
    const lonely = graph.input('lonely', 'float32', []);
    expect(() => gradients([op.square(x)], [null], [lonely])).toThrow(/"lonely"/);
  });

  it('stop at stopGradient', async () => {
    // y = x·stop(x): dy/dx = x, not 2x; finite differences would give 2x
    const product = unary((x) => op.multiply(x, op.stopGradient(x)));
    expect(await gradientError(product)).toBeGreaterThan(0.1);
  });
});
