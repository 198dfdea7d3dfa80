/** Matrix products, convolutions, pooling, norms. */
import { coversExactly, op, type Dimension, type Geometry, type Shape, type Tensor } from '@emac/graph';
import type { NodeReader } from '../node-reader.ts';
import { fixedSizes, merged, otherAxes, type Operators } from './operator.ts';

export const layers: Operators = {
  MatMul: (node) => matMul(node.tensor(0), node.tensor(1)),
  Gemm: gemm,
  Conv: convolution,
  ConvTranspose: transposedConvolution,
  MaxPool: maxPool,
  AveragePool: averagePool,
  BatchNormalization: batchNorm,
  InstanceNormalization: instanceNorm,
  LayerNormalization: layerNorm,
  RMSNormalization: (node) => {
    const [x, axis] = normalized(node);
    return overTail(x, axis, (rows) => op.rmsNorm(rows, flat(node.tensor(1)), node.float('epsilon', 1e-5)));
  },
};

/** ONNX Runtime's own operators that its optimizer leaves in files. */
export const microsoftLayers: Operators = {
  FusedMatMul: (node) => {
    if (node.integer('transBatchA', 0) || node.integer('transBatchB', 0))
      throw node.error('with transposed batches is not supported');
    return op.matMul(node.tensor(0), node.tensor(1), {
      transposeA: node.integer('transA', 0) === 1,
      transposeB: node.integer('transB', 0) === 1,
      scale: node.float('alpha', 1),
    });
  },
};

/** A vector on either side is a row or a column, absent from the result. */
function matMul(a: Tensor, b: Tensor): Tensor {
  const [isRow, isColumn] = [a.shape.length === 1, b.shape.length === 1];
  if (!isRow && !isColumn) return op.matMul(a, b);
  const left = isRow ? op.reshape(a, [1, a.shape[0]!]) : a;
  const right = isColumn ? op.reshape(b, [b.shape[0]!, 1]) : b;
  const product = op.matMul(left, right);
  const rank = product.shape.length;
  const gone = [...(isRow ? [rank - 2] : []), ...(isColumn ? [rank - 1] : [])];
  return op.reshape(
    product,
    otherAxes(rank, gone).map((axis) => product.shape[axis]!),
  );
}

/** α·A·B + β·C. */
function gemm(node: NodeReader): Tensor {
  const [a, b, c] = [node.tensor(0), node.tensor(1), node.optional(2)];
  const transposeA = node.integer('transA', 0) === 1;
  const transposeB = node.integer('transB', 0) === 1;
  const scale = node.float('alpha', 1);
  const isLinear = !transposeA && transposeB && scale === 1;
  const product = isLinear ? op.linear(a, b) : op.matMul(a, b, { transposeA, transposeB, scale });
  const beta = node.float('beta', 1);
  if (!c || beta === 0) return product;
  return op.add(product, beta === 1 ? c : op.scale(c, beta));
}

interface Window {
  readonly sizes: Shape;
  readonly kernel: readonly number[];
}

/** Strides, dilations and pads, with `auto_pad` resolved. */
function geometryOf(node: NodeReader, { sizes, kernel }: Window): Geometry {
  const strides = node.integers('strides') ?? kernel.map(() => 1);
  const dilations = node.integers('dilations') ?? kernel.map(() => 1);
  const given = node.integers('pads') ?? [...kernel, ...kernel].map(() => 0);
  const auto = node.text('auto_pad', 'NOTSET');
  const pads = kernel.map((length, axis): readonly [number, number] => {
    if (auto === 'NOTSET') return [given[axis]!, given[axis + kernel.length]!];
    if (auto === 'VALID') return [0, 0];
    const reach = dilations[axis]! * (length - 1) + 1;
    const total = samePads(node, sizes[axis]!, { stride: strides[axis]!, reach });
    const less = Math.floor(total / 2);
    return auto === 'SAME_UPPER' ? [less, total - less] : [total - less, less];
  });
  return { strides, dilations, pads };
}

/** Zero padding for ⌈size/stride⌉ windows. */
function samePads(
  node: NodeReader,
  size: Dimension,
  { stride, reach }: { stride: number; reach: number },
): number {
  if (stride === 1) return reach - 1;
  const [fixed] = fixedSizes(node, [size]) as [number];
  return Math.max(0, (Math.ceil(fixed / stride) - 1) * stride + reach - fixed);
}

function kernelOf(node: NodeReader, weight: Tensor): readonly number[] {
  return fixedSizes(node, weight.shape.slice(2));
}

const biasOf = (node: NodeReader): { bias?: Tensor } => {
  const bias = node.optional(2);
  return bias ? { bias } : {};
};

function convolution(node: NodeReader): Tensor {
  const [x, weight] = [node.tensor(0), node.tensor(1)];
  const geometry = geometryOf(node, { sizes: x.shape.slice(2), kernel: kernelOf(node, weight) });
  return op.convolution(x, weight, { ...geometry, ...biasOf(node), groups: node.integer('group', 1) });
}

function transposedConvolution(node: NodeReader): Tensor {
  const [x, weight] = [node.tensor(0), node.tensor(1)];
  if (node.integers('output_shape') || node.text('auto_pad', 'NOTSET') !== 'NOTSET')
    throw node.error(
      'with output_shape or auto_pad is not supported; export it with pads and output_padding',
    );
  const geometry = geometryOf(node, { sizes: x.shape.slice(2), kernel: kernelOf(node, weight) });
  const outputPadding = node.integers('output_padding');
  return op.transposedConvolution(x, weight, {
    ...geometry,
    ...biasOf(node),
    ...(outputPadding ? { outputPadding } : {}),
    groups: node.integer('group', 1),
  });
}

function poolingOf(node: NodeReader, x: Tensor) {
  const kernel = node.integers('kernel_shape');
  if (!kernel) throw node.error('needs a kernel_shape; the file is damaged');
  const sizes = x.shape.slice(2);
  const options = { kernel, ...geometryOf(node, { sizes, kernel }) };
  if (node.integer('ceil_mode', 0) === 1 && !coversExactly(sizes, options))
    throw node.error(
      `with ceil_mode needs windows that fit exactly, got [${x.shape.join(', ')}]; export it with padding instead`,
    );
  return options;
}

function maxPool(node: NodeReader): Tensor {
  const x = node.tensor(0);
  return op.maxPool(x, poolingOf(node, x));
}

function averagePool(node: NodeReader): Tensor {
  const x = node.tensor(0);
  return op.averagePool(x, {
    ...poolingOf(node, x),
    countsPadding: node.integer('count_include_pad', 0) === 1,
  });
}

/** A value per channel, aligned with the channels of x. */
const perChannel = (values: Tensor, x: Tensor): Tensor =>
  op.reshape(values, [x.shape[1]!, ...x.shape.slice(2).map(() => 1)]);

/** With the stored mean and variance: x·a + b with a = scale/√(variance + ε), b = bias − mean·a. */
function batchNorm(node: NodeReader): Tensor {
  if (node.integer('training_mode', 0) === 1)
    throw node.error('is in training mode; export the network for inference (model.eval())');
  const [x, scale, bias, mean, variance] = [0, 1, 2, 3, 4].map((input) => node.tensor(input)) as [
    ...[Tensor, Tensor, Tensor, Tensor, Tensor],
  ];
  const epsilon = node.graph.scalar(node.float('epsilon', 1e-5));
  const factor = op.divide(scale, op.sqrt(op.add(variance, epsilon)));
  const shift = op.subtract(bias, op.multiply(mean, factor));
  return op.add(op.multiply(x, perChannel(factor, x)), perChannel(shift, x));
}

/** Normalizes each channel of each sample to mean 0 and variance 1 over its positions, then applies scale and bias. */
function instanceNorm(node: NodeReader): Tensor {
  const [x, scale, bias] = [node.tensor(0), node.tensor(1), node.tensor(2)];
  const space = otherAxes(x.shape.length, [0, 1]);
  const centred = op.subtract(x, op.reduceMean(x, space, true));
  const epsilon = node.graph.scalar(node.float('epsilon', 1e-5));
  const deviation = op.sqrt(op.add(op.reduceMean(op.square(centred), space, true), epsilon));
  return op.add(op.multiply(op.divide(centred, deviation), perChannel(scale, x)), perChannel(bias, x));
}

const flat = (x: Tensor): Tensor => op.reshape(x, [merged(x.shape)]);

function normalized(node: NodeReader): [Tensor, number] {
  const x = node.tensor(0);
  return [x, node.axis(node.integer('axis', -1), x.shape.length)];
}

/** Applies `compute`, which works on the last axis, to all axes from `axis` on, merged into one. */
function overTail(x: Tensor, axis: number, compute: (rows: Tensor) => Tensor): Tensor {
  const rows = op.reshape(x, [...x.shape.slice(0, axis), merged(x.shape.slice(axis))]);
  return op.reshape(compute(rows), x.shape);
}

function layerNorm(node: NodeReader): Tensor {
  const [x, axis] = normalized(node);
  const weight = flat(node.tensor(1));
  const given = node.optional(2);
  const bias = given ? flat(given) : op.scale(weight, 0);
  return overTail(x, axis, (rows) => op.layerNorm(rows, { weight, bias }, node.float('epsilon', 1e-5)));
}
