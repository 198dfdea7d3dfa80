/** The mean over given axes. */
import type { Tensor } from '../graph.ts';
import { normalizeAxis, productOf } from '../shape.ts';
import { reduceSum } from './broadcast.ts';
import { divide } from './elementwise.ts';
import { cast } from './logic.ts';

/** Mean over `axes`; the gradient is broadcast back over them, divided by their size. */
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
