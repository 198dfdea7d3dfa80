/** Reductions over named axes. */
import { type Tensor, normalizeAxis, productOf, type Shape } from '../tensor.ts';
import { divide } from './elementwise.ts';
import { expand, reshape } from './shape.ts';
import { cast } from './logic.ts';

function reducedShape(shape: Shape, axes: ReadonlySet<number>, keepDims: boolean): Shape {
  return shape.flatMap((dimension, axis) => (axes.has(axis) ? (keepDims ? [1] : []) : [dimension]));
}

/** Sum over `axes`; the gradient is stretched back over them. */
export function reduceSum(x: Tensor, axes: readonly number[], keepDims = false): Tensor {
  const normalized = new Set(axes.map((axis) => normalizeAxis('reduceSum', axis, x.shape.length)));
  const shape = reducedShape(x.shape, normalized, keepDims);
  const kept = reducedShape(x.shape, normalized, true);
  const list = x.graph.integers([...normalized]);
  return x.graph.node(
    'ReduceSum',
    [x, list],
    { type: x.type, shape },
    {
      attributes: { keepdims: keepDims ? 1 : 0 },
      origin: { inputs: [x], vjp: (g) => [expand(reshape(g, kept), x.shape)] },
    },
  );
}

/** Mean over `axes`; the gradient is stretched back over them, divided by their size. */
export function reduceMean(x: Tensor, axes: readonly number[], keepDims = false): Tensor {
  const normalized = axes.map((axis) => normalizeAxis('reduceMean', axis, x.shape.length));
  const dimensions = normalized.map((axis) => x.shape[axis]!);
  const count = productOf(dimensions);
  const total = reduceSum(x, axes, keepDims);
  if (typeof count === 'number') return divide(total, x.graph.scalar(count));
  const sizes = x.graph.shapeVector(dimensions);
  const size = x.graph.node(
    'ReduceProd',
    [sizes, x.graph.integers([0])],
    { type: 'int64', shape: [] },
    {
      attributes: { keepdims: 0 },
    },
  );
  return divide(total, cast(size, x.type));
}
