/** Stretching and summing: each is the other's gradient. */
import { EmacError } from '@emac/core';
import type { Tensor } from '../graph.ts';
import { normalizeAxis, sameShape, shapeText, type Shape } from '../shape.ts';
import { reshape } from './shape.ts';

/** x broadcast to `shape`; the gradient is summed over the broadcast axes. */
export function expand(x: Tensor, shape: Shape): Tensor {
  if (sameShape(x.shape, shape)) return x;
  const extra = shape.length - x.shape.length;
  const stretched = shape.flatMap((d, axis) => (axis < extra || x.shape[axis - extra] !== d ? [axis] : []));
  if (extra < 0 || stretched.some((axis) => axis >= extra && x.shape[axis - extra] !== 1))
    throw new EmacError(
      'internal',
      `expand: only dimensions of 1 stretch, got ${shapeText(x.shape)} to ${shapeText(shape)}`,
    );
  return x.graph.node(
    'Expand',
    [x, x.graph.shapeVector(shape)],
    { type: x.type, shape },
    {
      origin: { inputs: [x], vjp: (g) => [reshape(reduceSum(g, stretched, true), x.shape)] },
    },
  );
}

function reducedShape(shape: Shape, axes: ReadonlySet<number>, keepDims: boolean): Shape {
  return shape.flatMap((dimension, axis) => (axes.has(axis) ? (keepDims ? [1] : []) : [dimension]));
}

/** Sum over `axes`; the gradient is broadcast back over them. */
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
