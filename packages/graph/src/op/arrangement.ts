/** Repetition, triangles, and selection by index along an axis. */
import { EmacError } from '@emac/core';
import { multiplyDimensions } from '../dimension.ts';
import type { Tensor } from '../graph.ts';
import { normalizeAxis, shapeText, type Shape } from '../shape.ts';
import { reduceSum } from './broadcast.ts';
import { gather } from './rows.ts';
import { reshape, transpose } from './shape.ts';

/** x repeated along each axis; the gradients of all copies are summed. */
export function tile(x: Tensor, repeats: Shape): Tensor {
  const { graph } = x;
  if (repeats.length !== x.shape.length)
    throw new EmacError(
      'internal',
      `tile: needs one count for each axis of ${shapeText(x.shape)}, got ${shapeText(repeats)}`,
    );
  const shape = x.shape.map((dimension, axis) => multiplyDimensions(dimension, repeats[axis]!));
  const copies = x.shape.flatMap((dimension, axis) => [repeats[axis]!, dimension]);
  return graph.node(
    'Tile',
    [x, graph.shapeVector(repeats)],
    { type: x.type, shape },
    {
      origin: {
        inputs: [x],
        vjp: (g) => [
          reduceSum(
            reshape(g, copies),
            repeats.map((_, axis) => 2 * axis),
          ),
        ],
      },
    },
  );
}

export interface Triangle {
  readonly upper: boolean;
  /** 0 is the main diagonal, 1 the one above it */
  readonly diagonal: number;
}

/** The upper or lower triangle of the last two axes, zeros elsewhere; the gradient is masked the same way. */
export function triangle(x: Tensor, { upper, diagonal }: Triangle): Tensor {
  const { graph } = x;
  return graph.node(
    'Trilu',
    [x, graph.scalar(diagonal, 'int64')],
    { type: x.type, shape: x.shape },
    {
      attributes: { upper: upper ? 1 : 0 },
      origin: { inputs: [x], vjp: (g) => [triangle(g, { upper, diagonal })] },
    },
  );
}

/** `gather` along any axis: the shape of the indices replaces it. */
export function take(x: Tensor, indices: Tensor, axis: number): Tensor {
  const along = normalizeAxis('take', axis, x.shape.length);
  if (along === 0) return gather(x, indices);
  const rank = x.shape.length;
  const others = Array.from({ length: rank }, (_, index) => index).filter((index) => index !== along);
  const rows = gather(transpose(x, [along, ...others]), indices);
  const inner = indices.shape.map((_, index) => index);
  const outer = others.map((_, index) => inner.length + index);
  return transpose(rows, [...outer.slice(0, along), ...inner, ...outer.slice(along)]);
}

/**
 * y[i][j] = x[indices[i][j]][j] for axis 0, and likewise for others: indices int64 of the rank of x → their shape. The
 * gradient is added at the indices, in their order.
 */
export function gatherElements(x: Tensor, indices: Tensor, axis: number): Tensor {
  const along = normalizeAxis('gatherElements', axis, x.shape.length);
  const { graph } = x;
  const { type, shape } = x;
  return graph.node(
    'GatherElements',
    [x, indices],
    { type, shape: indices.shape },
    {
      attributes: { axis: along },
      origin: {
        inputs: [x],
        vjp: (g) => {
          const zeros = graph.node('Expand', [graph.scalar(0), graph.shapeVector(shape)], { type, shape });
          const attributes = { axis: along, reduction: 'add' };
          return [graph.node('ScatterElements', [zeros, indices, g], { type, shape }, { attributes })];
        },
      },
    },
  );
}
