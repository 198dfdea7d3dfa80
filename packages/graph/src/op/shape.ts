/** Operators that move values without changing them. Their gradients move the values back. */
import { EmacError } from '@emac/core';
import { sameDimension } from '../dimension.ts';
import type { Tensor } from '../graph.ts';
import { normalizeAxis, productOf, sameShape, shapeText, sumOf, type Shape } from '../shape.ts';

/** The same values under other dimensions; sizes must agree (symbols included). The gradient is reshaped back. */
export function reshape(x: Tensor, shape: Shape): Tensor {
  if (sameShape(x.shape, shape)) return x;
  if (!sameDimension(productOf(x.shape), productOf(shape)))
    throw new EmacError(
      'internal',
      `reshape: sizes must agree, got ${shapeText(x.shape)} to ${shapeText(shape)}`,
    );
  return x.graph.node(
    'Reshape',
    [x, reshapeTarget(x, shape)],
    { type: x.type, shape },
    {
      origin: { inputs: [x], vjp: (g) => [reshape(g, x.shape)] },
    },
  );
}

/** ONNX's short forms if they suffice: 0 copies the input's dimension, one −1 is inferred. */
function reshapeTarget(x: Tensor, shape: Shape): Tensor {
  const short = shape.map((dimension, axis) =>
    typeof dimension === 'number' ? dimension : x.shape[axis] === dimension ? 0 : -1,
  );
  return short.filter((dimension) => dimension === -1).length <= 1
    ? x.graph.integers(short)
    : x.graph.shapeVector(shape);
}

/** Axes in another order; the gradient's axes are put back. */
export function transpose(x: Tensor, permutation: readonly number[]): Tensor {
  if (
    [...permutation].sort((a, b) => a - b).some((axis, index) => axis !== index) ||
    permutation.length !== x.shape.length
  )
    throw new EmacError(
      'internal',
      `transpose: [${permutation.join()}] is not a permutation of rank ${x.shape.length}`,
    );
  const inverse = permutation.map((_, axis) => permutation.indexOf(axis));
  return x.graph.node(
    'Transpose',
    [x],
    { type: x.type, shape: permutation.map((axis) => x.shape[axis]!) },
    {
      attributes: { perm: permutation },
      origin: { inputs: [x], vjp: (g) => [transpose(g, inverse)] },
    },
  );
}

/** Concatenates tensors along one axis; the gradient is cut into the same pieces. */
export function concat(parts: readonly Tensor[], axis: number): Tensor {
  const first = parts[0];
  if (!first) throw new EmacError('internal', 'concat: needs at least one tensor');
  if (parts.length === 1) return first;
  const along = normalizeAxis('concat', axis, first.shape.length);
  for (const part of parts)
    if (
      part.shape.length !== first.shape.length ||
      part.shape.some((d, i) => i !== along && d !== first.shape[i])
    )
      throw new EmacError(
        'internal',
        `concat: shapes must agree off axis ${along}, got ${parts.map((p) => shapeText(p.shape)).join(', ')}`,
      );
  const total = sumOf(parts.map((part) => part.shape[along]!));
  const shape = first.shape.map((dimension, i) => (i === along ? total : dimension));
  return first.graph.node(
    'Concat',
    parts,
    { type: first.type, shape },
    {
      attributes: { axis: along },
      origin: { inputs: parts, vjp: (g) => splitLike(g, parts, along) },
    },
  );
}

/** Cuts a tensor into pieces shaped like `parts`. */
function splitLike(x: Tensor, parts: readonly Tensor[], axis: number): Tensor[] {
  const sizes = x.graph.shapeVector(parts.map((part) => part.shape[axis]!));
  return x.graph.nodeWithOutputs(
    'Split',
    [x, sizes],
    parts.map((part) => ({ type: x.type, shape: part.shape })),
    { attributes: { axis } },
  );
}

/**
 * Elements start … end−1 along one axis; both are numbers, negative ones count from the end. The gradient is zero
 * elsewhere. `narrow` takes symbols.
 */
export function slice(
  x: Tensor,
  axis: number,
  range: { readonly start: number; readonly end?: number },
): Tensor {
  const along = normalizeAxis('slice', axis, x.shape.length);
  const { graph } = x;
  const size = x.shape[along]!;
  const end = range.end ?? Number.MAX_SAFE_INTEGER;
  const shape = x.shape.map((dimension, i) => (i === along ? slicedSize(size, range.start, end) : dimension));
  const bounds = [graph.integers([range.start]), graph.integers([end]), graph.integers([along])];
  return graph.node(
    'Slice',
    [x, ...bounds],
    { type: x.type, shape },
    {
      origin: { inputs: [x], vjp: (g) => [padSlice(g, x, { axis: along, start: range.start, end })] },
    },
  );
}

function slicedSize(size: string | number, start: number, end: number): string | number {
  if (typeof size === 'number') {
    const from = start < 0 ? Math.max(0, size + start) : Math.min(start, size);
    const to = end < 0 ? Math.max(0, size + end) : Math.min(end, size);
    return Math.max(0, to - from);
  }
  if (start >= 0 && end >= 0 && end !== Number.MAX_SAFE_INTEGER) return end - start;
  if (start < 0 && end === Number.MAX_SAFE_INTEGER) return -start;
  return start === 0 && end === Number.MAX_SAFE_INTEGER
    ? size
    : `${size}[${start}:${end === Number.MAX_SAFE_INTEGER ? '' : end}]`;
}

/** Puts a slice's gradient back into zeros of the original shape. */
function padSlice(g: Tensor, x: Tensor, range: { axis: number; start: number; end: number }): Tensor {
  const { graph } = x;
  const shapeAt = (t: Tensor) =>
    graph.node(
      'Shape',
      [t],
      { type: 'int64', shape: [1] },
      { attributes: { start: range.axis, end: range.axis + 1 } },
    );
  const size = shapeAt(x);
  const before =
    range.start >= 0
      ? graph.integers([range.start])
      : graph.node('Add', [size, graph.integers([range.start])], { type: 'int64', shape: [1] });
  const used = graph.node('Add', [before, shapeAt(g)], { type: 'int64', shape: [1] });
  const after = graph.node('Sub', [size, used], { type: 'int64', shape: [1] });
  const pads = graph.node(
    'Concat',
    [before, after],
    { type: 'int64', shape: [2] },
    { attributes: { axis: 0 } },
  );
  const zero = graph.scalar(0);
  return graph.node('Pad', [g, pads, zero, graph.integers([range.axis])], { type: x.type, shape: x.shape });
}
