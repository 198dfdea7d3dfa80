import { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { gradientError } from './finite-difference.test.support.ts';
import { createSession, type Shape } from '@emac/graph';
import { importOnnx } from './index.ts';
import {
  floats,
  integers,
  onnxFile,
  type AttributeSpec,
  type FileSpec,
  type TensorSpec,
} from './onnx-file.test.support.ts';
import { namesWithoutGradient, operatorNames } from './operators/index.ts';

/** One node of float inputs x0, x1, … → y, compared with ONNX Runtime's own result. */
interface Case {
  readonly type: string;
  /** run-time shapes of the float inputs */
  readonly shapes: readonly (readonly number[])[];
  /** their shapes in the file; default: all sizes fixed */
  readonly symbols?: readonly Shape[];
  readonly attributes?: Readonly<Record<string, AttributeSpec>>;
  /** inputs after the float ones; '' is an omitted input */
  readonly constants?: readonly (TensorSpec | '')[];
  readonly opset?: number;
  readonly domain?: string;
  readonly interval?: readonly [number, number];
  /** nodes between x0 and the node, or after it */
  readonly before?: FileSpec['nodes'];
  readonly after?: FileSpec['nodes'];
  readonly isStepwise?: boolean;
  readonly outputs?: readonly string[];
  readonly declared?: FileSpec['declared'];
}

const random = Random.fromSeed('weights');
const positive = (size: number): TensorSpec => ({
  shape: [size],
  floats: Array.from({ length: size }, () => 0.5 + random.uniform()),
});
const scalar = (value: number): TensorSpec => ({ shape: [], floats: [value] });
const float = (value: number) => ({ float: value });

function fileOf(testCase: Case): FileSpec {
  const { type, shapes, symbols, attributes, constants = [], domain, before = [], after = [] } = testCase;
  const names = shapes.map((_, index) => `x${index}`);
  const read = before.length > 0 ? ['z', ...names.slice(1)] : names;
  const outputs = testCase.outputs ?? [after.length > 0 ? 'w' : 'y'];
  return {
    ...(testCase.opset ? { opset: testCase.opset } : {}),
    inputs: Object.fromEntries(
      names.map((name, index) => [name, { shape: symbols?.[index] ?? shapes[index]! }]),
    ),
    outputs: { y: {} },
    declared: testCase.declared ?? {},
    initializers: Object.fromEntries(
      constants.flatMap((constant, index) => (constant === '' ? [] : [[`c${index}`, constant]])),
    ),
    nodes: [
      ...before,
      {
        type,
        name: 'tested',
        outputs,
        inputs: [...read, ...constants.map((constant, index) => (constant === '' ? '' : `c${index}`))],
        ...(domain ? { domain } : {}),
        ...(attributes ? { attributes } : {}),
      },
      ...after,
    ],
  };
}

const unary = (type: string, more: Partial<Case> = {}): Case => ({
  type,
  shapes: [[2, 3]],
  symbols: [['B', 3]],
  ...more,
});
const binary = (type: string, more: Partial<Case> = {}): Case => ({
  type,
  shapes: [
    [2, 3],
    [2, 1],
  ],
  symbols: [
    ['B', 3],
    ['B', 1],
  ],
  ...more,
});
const image = (type: string, more: Partial<Case> = {}): Case => ({ type, shapes: [[2, 4, 5, 6]], ...more });
/** A bool of x0 > 0 and back: y = where(…, x0, −x0). */
const choose: FileSpec['nodes'] = [
  { type: 'Neg', inputs: ['x0'], outputs: ['negative'] },
  { type: 'Where', inputs: ['w', 'x0', 'negative'], outputs: ['y'] },
];
const toFloat: FileSpec['nodes'] = [{ type: 'Cast', inputs: ['w'], outputs: ['y'], attributes: { to: 1 } }];
const signs: FileSpec['nodes'] = [
  { type: 'Sign', inputs: ['x0'], outputs: ['s'] },
  { type: 'Cast', inputs: ['s'], outputs: ['z'], attributes: { to: 9 } },
];

const cases: Record<string, Case> = {
  Add: binary('Add'),
  Sub: binary('Sub'),
  Mul: binary('Mul'),
  Div: binary('Div', { interval: [0.5, 2] }),
  'Pow of two inputs': binary('Pow', { interval: [0.5, 2] }),
  'Pow by 2': unary('Pow', { constants: [scalar(2)] }),
  'Pow by 3': unary('Pow', { constants: [scalar(3)] }),
  'Pow by an integer': unary('Pow', { constants: [{ shape: [], integers: [3] }] }),
  'Pow by 1/2': unary('Pow', { constants: [scalar(0.5)], interval: [0.5, 2] }),
  'Pow by -1': unary('Pow', { constants: [scalar(-1)], interval: [0.5, 2] }),
  Sum: { ...binary('Sum'), shapes: [[2, 3], [2, 3], [3]], symbols: [['B', 3], ['B', 3], [3]] },
  Mean: { ...binary('Mean'), shapes: [[2, 3], [2, 3], [3]], symbols: [['B', 3], ['B', 3], [3]] },
  Max: binary('Max'),
  Min: binary('Min', { constants: [floats([3], 0.5, -0.5, 0)] }),
  Neg: unary('Neg'),
  Abs: unary('Abs', { interval: [-2, -0.1] }),
  Exp: unary('Exp'),
  Log: unary('Log', { interval: [0.5, 2] }),
  Sqrt: unary('Sqrt', { interval: [0.5, 2] }),
  Reciprocal: unary('Reciprocal', { interval: [0.5, 2] }),
  Sin: unary('Sin'),
  Cos: unary('Cos'),
  Erf: unary('Erf'),
  Sign: unary('Sign', { isStepwise: true }),
  Floor: unary('Floor', { isStepwise: true }),
  Ceil: unary('Ceil', { isStepwise: true }),
  Round: unary('Round', { isStepwise: true }),
  Relu: unary('Relu', { interval: [-2, -0.1] }),
  Sigmoid: unary('Sigmoid'),
  Tanh: unary('Tanh'),
  Softplus: unary('Softplus'),
  Softsign: unary('Softsign'),
  HardSwish: unary('HardSwish'),
  'HardSwish at its ends': unary('HardSwish', { interval: [3.1, 5] }),
  'HardSwish below': unary('HardSwish', { interval: [-5, -3.1], isStepwise: true }),
  Mish: unary('Mish', { opset: 18 }),
  PRelu: unary('PRelu', { shapes: [[2, 3], [3]], symbols: [['B', 3], [3]] }),
  LeakyRelu: unary('LeakyRelu', { attributes: { alpha: float(0.3) }, interval: [-2, -0.1] }),
  'LeakyRelu above 0': unary('LeakyRelu', { interval: [0.1, 2] }),
  Elu: unary('Elu', { attributes: { alpha: float(0.7) } }),
  Celu: unary('Celu', { attributes: { alpha: float(0.7) } }),
  Selu: unary('Selu', { interval: [-2, -0.1] }),
  'Selu above 0': unary('Selu', { interval: [0.1, 2] }),
  HardSigmoid: unary('HardSigmoid'),
  'HardSigmoid at its ends': unary('HardSigmoid', { interval: [3, 5], isStepwise: true }),
  ThresholdedRelu: unary('ThresholdedRelu', { attributes: { alpha: float(0.2) }, interval: [0.3, 1] }),
  Gelu: unary('Gelu', { opset: 20 }),
  'Gelu by tanh': unary('Gelu', { opset: 20, attributes: { approximate: 'tanh' } }),
  'Gelu of Microsoft': unary('Gelu', { domain: 'com.microsoft' }),
  'FastGelu of Microsoft': unary('FastGelu', {
    domain: 'com.microsoft',
    shapes: [[2, 3], [3]],
    symbols: [['B', 3], [3]],
  }),
  'BiasGelu of Microsoft': unary('BiasGelu', {
    domain: 'com.microsoft',
    shapes: [[2, 3], [3]],
    symbols: [['B', 3], [3]],
  }),
  'QuickGelu of Microsoft': unary('QuickGelu', { domain: 'com.microsoft' }),
  Clip: unary('Clip', { constants: [scalar(-10), scalar(10)] }),
  'Clip at its end': unary('Clip', { constants: ['', scalar(-2)], isStepwise: true }),
  'Clip by other values': { type: 'Clip', shapes: [[4], [], []], symbols: [['B'], [], []], interval: [0, 1] },
  Equal: unary('Equal', { constants: [floats([3], 0.5, -0.5, 0)], outputs: ['w'], after: choose }),
  Less: unary('Less', { constants: [floats([3], 0.5, -0.5, 0)], outputs: ['w'], after: choose }),
  LessOrEqual: unary('LessOrEqual', {
    constants: [floats([3], 0.5, -0.5, 0)],
    outputs: ['w'],
    after: choose,
  }),
  Greater: unary('Greater', { constants: [floats([3], 0.5, -0.5, 0)], outputs: ['w'], after: choose }),
  GreaterOrEqual: unary('GreaterOrEqual', {
    constants: [floats([3], 0.5, -0.5, 0)],
    outputs: ['w'],
    after: choose,
  }),
  And: unary('And', {
    before: signs,
    constants: [{ shape: [], type: 9, integers: [1] }],
    outputs: ['w'],
    after: choose,
  }),
  Or: unary('Or', {
    before: signs,
    constants: [{ shape: [], type: 9, integers: [0] }],
    outputs: ['w'],
    after: choose,
  }),
  Xor: unary('Xor', {
    before: signs,
    constants: [{ shape: [], type: 9, integers: [1] }],
    outputs: ['w'],
    after: choose,
  }),
  Not: unary('Not', { before: signs, outputs: ['w'], after: choose }),
  IsNaN: unary('IsNaN', { outputs: ['w'], after: choose }),
  IsInf: unary('IsInf', { outputs: ['w'], after: choose }),
  Where: unary('Where', { before: signs, constants: [floats([3], 1, 2, 3), scalar(4)], isStepwise: true }),
  Cast: unary('Cast', { attributes: { to: 1 } }),
  'Cast to integers': unary('Cast', {
    attributes: { to: 7 },
    outputs: ['w'],
    after: toFloat,
    isStepwise: true,
  }),
  CastLike: unary('CastLike', { constants: [scalar(0)] }),
  Identity: unary('Identity'),
  Dropout: unary('Dropout'),
  'Dropout of opset 11': unary('Dropout', { opset: 11, attributes: { ratio: float(0.5) } }),
  Constant: {
    type: 'Constant',
    shapes: [],
    attributes: { value: { tensor: floats([2], 1.5, -2) } },
    isStepwise: true,
  },
  'Mod of integers': unary('Mod', {
    before: [{ type: 'Cast', inputs: ['x0'], outputs: ['z'], attributes: { to: 7 } }],
    constants: [{ shape: [], integers: [3] }],
    outputs: ['w'],
    after: toFloat,
    interval: [-9, 9],
    isStepwise: true,
  }),

  Reshape: unary('Reshape', { constants: [integers(3, -1)] }),
  'Reshape that copies a dimension': unary('Reshape', { constants: [integers(0, 1, -1)] }),
  Flatten: { type: 'Flatten', shapes: [[2, 3, 2]], symbols: [['B', 3, 2]], attributes: { axis: 2 } },
  Squeeze: { type: 'Squeeze', shapes: [[2, 1, 3, 1]], symbols: [['B', 1, 3, 1]], constants: [integers(-1)] },
  'Squeeze of opset 11': { type: 'Squeeze', opset: 11, shapes: [[2, 1, 3, 1]], attributes: { axes: [1, 3] } },
  'Squeeze of every 1': { type: 'Squeeze', shapes: [[2, 1, 3, 1]] },
  Unsqueeze: unary('Unsqueeze', { constants: [integers(0, -1)] }),
  'Unsqueeze of opset 11': unary('Unsqueeze', { opset: 11, attributes: { axes: [1] } }),
  Transpose: {
    type: 'Transpose',
    shapes: [[2, 3, 4]],
    symbols: [['B', 'T', 4]],
    attributes: { perm: [2, 0, 1] },
  },
  'Transpose of all axes': { type: 'Transpose', shapes: [[2, 3, 4]] },
  Concat: {
    type: 'Concat',
    shapes: [
      [2, 3],
      [2, 2],
    ],
    symbols: [
      ['B', 3],
      ['B', 'T'],
    ],
    attributes: { axis: -1 },
  },
  Split: {
    type: 'Split',
    shapes: [[2, 5]],
    symbols: [['B', 5]],
    constants: [integers(2, 3)],
    attributes: { axis: 1 },
    outputs: ['unused', 'y'],
  },
  'Split of opset 11': {
    type: 'Split',
    opset: 11,
    shapes: [[2, 5]],
    attributes: { axis: 1, split: [2, 3] },
    outputs: ['y', 'unused'],
  },
  'Split into equal parts': {
    type: 'Split',
    shapes: [[4, 2]],
    outputs: ['a', 'b'],
    after: [{ type: 'Mul', inputs: ['a', 'b'], outputs: ['y'] }],
  },
  'Split of opset 18': {
    type: 'Split',
    opset: 18,
    shapes: [[5, 2]],
    attributes: { num_outputs: 3 },
    outputs: ['a', 'b', 'y'],
  },
  Slice: {
    type: 'Slice',
    shapes: [[4, 5]],
    symbols: [['B', 5]],
    constants: [integers(1, -4), integers(4, -1), integers(0, 1)],
  },
  'Slice to the end': {
    type: 'Slice',
    shapes: [[4, 5]],
    symbols: [['B', 'T']],
    constants: [integers(1), integers(2 ** 53), integers(1)],
  },
  'Slice with steps': {
    type: 'Slice',
    shapes: [[4, 5]],
    constants: [integers(0), integers(5), integers(1), integers(2)],
  },
  'Slice backwards': {
    type: 'Slice',
    shapes: [[5]],
    constants: [integers(-1), integers(-100), integers(0), integers(-2)],
  },
  Gather: {
    type: 'Gather',
    shapes: [[2, 3, 2]],
    symbols: [['B', 3, 2]],
    attributes: { axis: 1 },
    constants: [{ shape: [2, 2], integers: [0, 2, -1, 0] }],
  },
  'Gather of rows': { type: 'Gather', shapes: [[4, 2]], constants: [integers(3, 1, 3)] },
  'Gather of one': {
    type: 'Gather',
    shapes: [[2, 3, 2]],
    symbols: [['B', 'T', 2]],
    attributes: { axis: 1 },
    constants: [{ shape: [], integers: [-1] }],
  },
  GatherElements: {
    type: 'GatherElements',
    shapes: [[2, 3]],
    attributes: { axis: 1 },
    constants: [{ shape: [2, 2], integers: [2, 2, 0, 1] }],
  },
  Expand: { type: 'Expand', shapes: [[3, 1]], constants: [integers(2, 1, 4)] },
  Tile: { type: 'Tile', shapes: [[2, 3]], symbols: [['B', 3]], constants: [integers(2, 3)] },
  Pad: { type: 'Pad', shapes: [[2, 3]], symbols: [['B', 3]], constants: [integers(1, 0, 0, 2), scalar(0.5)] },
  'Pad by less than nothing': { type: 'Pad', shapes: [[4, 3]], constants: [integers(-1, 0, 1, -1)] },
  'Pad of some axes': {
    type: 'Pad',
    opset: 18,
    shapes: [[2, 3]],
    constants: [integers(1, 2), '', integers(1)],
  },
  Trilu: {
    type: 'Trilu',
    shapes: [[3, 3]],
    symbols: [['T', 'T']],
    attributes: { upper: 0 },
    constants: [{ shape: [], integers: [1] }],
  },
  'ConstantOfShape of a size': {
    type: 'ConstantOfShape',
    shapes: [[2, 3]],
    symbols: [['B', 3]],
    before: [{ type: 'Shape', inputs: ['x0'], outputs: ['z'] }],
    attributes: { value: { tensor: floats([1], 2.5) } },
    outputs: ['w'],
    after: [{ type: 'Mul', inputs: ['w', 'x0'], outputs: ['y'] }],
  },
  'Size of all': {
    type: 'Size',
    shapes: [[2, 3]],
    symbols: [['B', 3]],
    outputs: ['w'],
    after: toFloat,
    isStepwise: true,
  },
  'Shape of part': {
    type: 'Shape',
    shapes: [[2, 3, 4]],
    symbols: [['B', 'T', 4]],
    attributes: { start: -2 },
    outputs: ['w'],
    after: toFloat,
    isStepwise: true,
  },
  'Range to a size': {
    type: 'Range',
    shapes: [],
    constants: [
      { shape: [], integers: [0] },
      { shape: [], integers: [5] },
      { shape: [], integers: [2] },
    ],
    outputs: ['w'],
    after: toFloat,
    isStepwise: true,
  },
  DepthToSpace: { type: 'DepthToSpace', shapes: [[1, 8, 2, 3]], attributes: { blocksize: 2 } },
  'DepthToSpace by columns': {
    type: 'DepthToSpace',
    shapes: [[1, 8, 2, 3]],
    attributes: { blocksize: 2, mode: 'CRD' },
  },

  ReduceSum: unary('ReduceSum', { constants: [integers(-1)], attributes: { keepdims: 0 } }),
  'ReduceSum of opset 11': unary('ReduceSum', { opset: 11, attributes: { axes: [1] } }),
  'ReduceSum of all': unary('ReduceSum'),
  'ReduceSum of nothing': unary('ReduceSum', { attributes: { noop_with_empty_axes: 1 } }),
  ReduceMean: unary('ReduceMean', { attributes: { axes: [0], keepdims: 0 } }),
  ReduceMax: unary('ReduceMax', { opset: 18, constants: [integers(1)] }),
  ReduceMin: unary('ReduceMin', { attributes: { axes: [1], keepdims: 0 } }),
  ReduceL1: unary('ReduceL1', { attributes: { axes: [1] }, interval: [0.1, 2] }),
  ReduceL2: unary('ReduceL2', { attributes: { axes: [1] } }),
  ReduceSumSquare: unary('ReduceSumSquare', { attributes: { axes: [1] } }),
  ReduceLogSum: unary('ReduceLogSum', { attributes: { axes: [1] }, interval: [0.5, 2] }),
  ReduceLogSumExp: unary('ReduceLogSumExp', { attributes: { axes: [1], keepdims: 0 } }),
  GlobalAveragePool: image('GlobalAveragePool', { shapes: [[2, 3, 4, 2]], symbols: [['B', 3, 'H', 2]] }),
  GlobalMaxPool: image('GlobalMaxPool', { shapes: [[2, 3, 2, 2]] }),
  Softmax: { type: 'Softmax', shapes: [[2, 3, 2]], symbols: [['B', 3, 2]], attributes: { axis: 1 } },
  'Softmax of opset 11': { type: 'Softmax', opset: 11, shapes: [[2, 3, 2]], symbols: [['B', 3, 2]] },
  LogSoftmax: { type: 'LogSoftmax', shapes: [[2, 3]], symbols: [['B', 3]] },

  MatMul: {
    type: 'MatMul',
    shapes: [
      [2, 3, 4],
      [4, 2],
    ],
    symbols: [
      ['B', 'T', 4],
      [4, 2],
    ],
  },
  'MatMul of a vector': { type: 'MatMul', shapes: [[4], [2, 4, 3]], symbols: [[4], ['B', 4, 3]] },
  'MatMul of vectors': { type: 'MatMul', shapes: [[4], [4]] },
  Gemm: {
    type: 'Gemm',
    shapes: [[2, 3], [4, 3], [4]],
    symbols: [['B', 3], [4, 3], [4]],
    attributes: { transB: 1 },
  },
  'Gemm with factors': {
    type: 'Gemm',
    shapes: [
      [3, 2],
      [3, 4],
      [2, 1],
    ],
    attributes: { transA: 1, alpha: float(0.5), beta: float(-2) },
  },
  'FusedMatMul of Microsoft': {
    type: 'FusedMatMul',
    domain: 'com.microsoft',
    shapes: [
      [3, 2],
      [4, 3],
    ],
    attributes: { transA: 1, transB: 1, alpha: float(0.5) },
  },
  Conv: {
    type: 'Conv',
    shapes: [[2, 2, 5, 4], [3, 2, 3, 2], [3]],
    symbols: [['B', 2, 5, 4], [3, 2, 3, 2], [3]],
    attributes: { pads: [1, 0, 2, 1], strides: [2, 1] },
  },
  'Conv of groups, dilated': {
    type: 'Conv',
    shapes: [
      [2, 4, 7],
      [6, 2, 3],
    ],
    symbols: [
      ['B', 4, 7],
      [6, 2, 3],
    ],
    attributes: { group: 2, dilations: [2], strides: [2], pads: [1, 1] },
  },
  'Conv of a free size': {
    type: 'Conv',
    shapes: [
      [1, 2, 6],
      [2, 2, 3],
    ],
    symbols: [
      ['B', 2, 'T'],
      [2, 2, 3],
    ],
    attributes: { strides: [2], pads: [1, 0] },
  },
  'Conv of a free size, nothing hidden': {
    type: 'Conv',
    shapes: [
      [1, 2, 7],
      [2, 2, 3],
    ],
    symbols: [
      ['B', 2, 'T'],
      [2, 2, 3],
    ],
    attributes: { strides: [2] },
  },
  'Conv with padding for the same size': {
    type: 'Conv',
    shapes: [
      [1, 1, 5, 4],
      [1, 1, 2, 3],
    ],
    attributes: { auto_pad: 'SAME_UPPER', strides: [2, 1] },
  },
  'Conv with lower padding': {
    type: 'Conv',
    shapes: [
      [1, 1, 4],
      [1, 1, 2],
    ],
    symbols: [
      ['B', 1, 'T'],
      [1, 1, 2],
    ],
    attributes: { auto_pad: 'SAME_LOWER' },
  },
  ConvTranspose: {
    type: 'ConvTranspose',
    shapes: [[2, 4, 3], [4, 2, 3], [4]],
    symbols: [['B', 4, 'T'], [4, 2, 3], [4]],
    attributes: { group: 2, strides: [2], pads: [1, 0], output_padding: [1] },
  },
  'ConvTranspose of a plane': {
    type: 'ConvTranspose',
    shapes: [
      [1, 2, 3, 2],
      [2, 1, 2, 3],
    ],
    attributes: { strides: [2, 1], dilations: [1, 2] },
  },
  MaxPool: {
    type: 'MaxPool',
    shapes: [[2, 2, 5, 4]],
    symbols: [['B', 2, 5, 4]],
    attributes: { kernel_shape: [3, 2], strides: [2, 1], pads: [1, 0, 1, 1] },
  },
  'MaxPool of a free size': {
    type: 'MaxPool',
    shapes: [[1, 2, 7]],
    symbols: [['B', 2, 'T']],
    attributes: { kernel_shape: [2], strides: [2] },
  },
  AveragePool: {
    type: 'AveragePool',
    shapes: [[2, 2, 5, 4]],
    symbols: [['B', 2, 5, 4]],
    attributes: { kernel_shape: [3, 2], strides: [2, 1], pads: [1, 0, 1, 1] },
  },
  'AveragePool that counts padding': {
    type: 'AveragePool',
    shapes: [[1, 2, 5]],
    symbols: [['B', 2, 'T']],
    attributes: { kernel_shape: [3], strides: [2], pads: [1, 1], count_include_pad: 1 },
  },
  BatchNormalization: {
    type: 'BatchNormalization',
    shapes: [[2, 3, 2], [3], [3], [3]],
    symbols: [['B', 3, 2], [3], [3], [3]],
    constants: [positive(3)],
  },
  InstanceNormalization: {
    type: 'InstanceNormalization',
    shapes: [[2, 2, 4], [2], [2]],
    symbols: [['B', 2, 'T'], [2], [2]],
  },
  LayerNormalization: {
    type: 'LayerNormalization',
    shapes: [[2, 3, 4], [4], [4]],
    symbols: [['B', 'T', 4], [4], [4]],
  },
  'LayerNormalization over two axes': {
    type: 'LayerNormalization',
    shapes: [
      [2, 3, 2],
      [3, 2],
    ],
    symbols: [
      ['B', 3, 2],
      [3, 2],
    ],
    attributes: { axis: 1 },
  },
  // not in this ONNX Runtime's default domain before opset 23
  RMSNormalization: {
    type: 'RMSNormalization',
    opset: 23,
    shapes: [[2, 3, 4], [4]],
    symbols: [['B', 'T', 4], [4]],
  },

  ArgMax: unary('ArgMax', {
    attributes: { axis: 1, keepdims: 0 },
    outputs: ['w'],
    after: toFloat,
    isStepwise: true,
  }),
  ArgMin: unary('ArgMin', { attributes: { axis: 1 }, outputs: ['w'], after: toFloat, isStepwise: true }),
};

const shapesOf = ({ shapes, symbols }: Case) => ({ shapes, ...(symbols ? { symbols } : {}) });

async function runFile(testCase: Case, values: readonly Float32Array[]) {
  const session = await InferenceSession.create(onnxFile(fileOf(testCase)), { logSeverityLevel: 3 });
  const feeds = values.map((data, i) => [`x${i}`, new OrtTensor('float32', data, testCase.shapes[i]!)]);
  const { y } = await session.run(Object.fromEntries(feeds));
  await session.release();
  return { shape: [...y!.dims], data: y!.data as Float32Array };
}

async function runImported(testCase: Case, values: readonly Float32Array[]) {
  const { graph } = importOnnx(onnxFile(fileOf(testCase))).toGraph();
  const session = await createSession(graph, { thread: 'main', threads: 1 });
  const feeds = values.map((data, i) => [`x${i}`, { type: 'float32', shape: testCase.shapes[i]!, data }]);
  const { y } = await session.run(Object.fromEntries(feeds));
  await session.dispose();
  return { shape: y!.shape, data: y!.data as Float32Array };
}

describe.each(Object.entries(cases))('an imported %s', (_name, testCase) => {
  it("computes ONNX Runtime's result for the file", async () => {
    const draw = Random.fromSeed('inputs');
    const [low, high] = testCase.interval ?? [-1.5, 1.5];
    const values = testCase.shapes.map((shape) =>
      Float32Array.from(
        { length: shape.reduce((p, d) => p * d, 1) },
        () => low + (high - low) * draw.uniform(),
      ),
    );
    const expected = await runFile(testCase, values);
    const actual = await runImported(testCase, values);
    expect(actual.shape).toEqual(expected.shape);
    expect(actual.data.length).toBe(expected.data.length);
    actual.data.forEach((value, index) => expect(value).toBeCloseTo(expected.data[index]!, 5));
  });
});

const smooth = Object.entries(cases).filter(([, { isStepwise }]) => !isStepwise);

describe.each(smooth)('an imported %s', (_name, testCase) => {
  it('matches finite differences', async () => {
    const network = importOnnx(onnxFile(fileOf(testCase)));
    const { interval } = testCase;
    const error = await gradientError({
      ...shapesOf(testCase),
      ...(interval ? { interval } : {}),
      build: (inputs) => network.apply(Object.fromEntries(inputs.map((x, i) => [`x${i}`, x])))['y']!,
    });
    expect(error).toBeLessThan(2e-3);
  });
});

describe('the supported operators', () => {
  it('are all tested', () => {
    const tested = new Set(Object.values(cases).map(({ type }) => type));
    const untested = operatorNames.filter(
      (name) => !tested.has(name) && !namesWithoutGradient.includes(name),
    );
    expect(untested).toEqual([]);
  });
});
