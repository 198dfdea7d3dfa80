/** Largest and smallest values along axes. */
import type { Tensor } from '../graph.ts';
import { normalizeAxis } from '../shape.ts';
import { divide, multiply } from './elementwise.ts';
import { cast, equal } from './logic.ts';
import { reduceSum } from './broadcast.ts';
import { reshape } from './shape.ts';

/** The largest value over `axes`; its gradient is shared evenly by all equal elements. */
export const reduceMax = (x: Tensor, axes: readonly number[], keepDims = false): Tensor =>
  extremum('ReduceMax', x, { axes, keepDims });

/** The smallest value over `axes`; its gradient is shared evenly by all equal elements. */
export const reduceMin = (x: Tensor, axes: readonly number[], keepDims = false): Tensor =>
  extremum('ReduceMin', x, { axes, keepDims });

interface Reduction {
  readonly axes: readonly number[];
  readonly keepDims: boolean;
}

function extremum(type: string, x: Tensor, { axes, keepDims }: Reduction): Tensor {
  const { graph } = x;
  const reduced = new Set(axes.map((axis) => normalizeAxis(type, axis, x.shape.length)));
  const kept = x.shape.map((dimension, axis) => (reduced.has(axis) ? 1 : dimension));
  const shape = keepDims ? kept : x.shape.filter((_, axis) => !reduced.has(axis));
  const y: Tensor = graph.node(
    type,
    [x, graph.integers([...reduced])],
    { type: x.type, shape },
    {
      attributes: { keepdims: keepDims ? 1 : 0 },
      origin: {
        inputs: [x],
        vjp: (g) => {
          const isExtreme = cast(equal(x, reshape(y, kept)), x.type);
          const share = divide(reshape(g, kept), reduceSum(isExtreme, [...reduced], true));
          return [multiply(isExtreme, share)];
        },
      },
    },
  );
  return y;
}
