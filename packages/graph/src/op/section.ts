/** Sections of a tensor with symbolic starts and sizes, and padding. */
import { EmacError } from '@emac/core';
import { addDimensions, sameDimension, subtractDimensions } from '../dimension.ts';
import type { Tensor } from '../graph.ts';
import { normalizeAxis, shapeText, type Dimension, type Shape } from '../shape.ts';

export interface Section {
  readonly start: Dimension;
  readonly length: Dimension;
}

/** Elements start … start+length−1 along one axis; the gradient is zero elsewhere. */
export function narrow(x: Tensor, axis: number, { start, length }: Section): Tensor {
  const along = normalizeAxis('narrow', axis, x.shape.length);
  const { graph } = x;
  const end = addDimensions(start, length);
  if (start === 0 && sameDimension(length, x.shape[along]!)) return x;
  if ([start, length, subtractDimensions(x.shape[along]!, end)].some(isNegative))
    throw new EmacError(
      'internal',
      `narrow: ${start} … ${end} must lie within axis ${along} of ${shapeText(x.shape)}`,
    );
  return graph.node(
    'Slice',
    [x, graph.shapeVector([start]), graph.shapeVector([end]), graph.integers([along])],
    { type: x.type, shape: withDimension(x.shape, along, length) },
    { origin: { inputs: [x], vjp: (g) => [putBack(g, x, { axis: along, start, length })] } },
  );
}

/** Cuts x along one axis into pieces of these sizes; each piece's gradient is zero outside it. */
export function split(x: Tensor, sizes: Shape, axis: number): Tensor[] {
  const along = normalizeAxis('split', axis, x.shape.length);
  const { graph } = x;
  if (!sameDimension(addDimensions(...sizes), x.shape[along]))
    throw new EmacError(
      'internal',
      `split: sizes must add up to axis ${along} of ${shapeText(x.shape)}, got ${shapeText(sizes)}`,
    );
  const pieces = graph.nodeWithOutputs(
    'Split',
    [x, graph.shapeVector(sizes)],
    sizes.map((size) => ({ type: x.type, shape: withDimension(x.shape, along, size) })),
    { attributes: { axis: along } },
  );
  return pieces.map((piece, index) => {
    const start = index === 0 ? 0 : addDimensions(...sizes.slice(0, index));
    const section = { axis: along, start, length: sizes[index]! };
    return graph.withOrigin(piece, { inputs: [x], vjp: (g) => [putBack(g, x, section)] });
  });
}

const isNegative = (dimension: Dimension): boolean => typeof dimension === 'number' && dimension < 0;

const withDimension = (shape: Shape, axis: number, dimension: Dimension): Shape =>
  shape.map((old, index) => (index === axis ? dimension : old));

/** A gradient in its section, zeros elsewhere, in the shape of x. */
function putBack(g: Tensor, x: Tensor, { axis, start, length }: Section & { axis: number }): Tensor {
  const { graph } = x;
  const rest = subtractDimensions(x.shape[axis]!, addDimensions(start, length));
  const pads = graph.shapeVector([start, rest]);
  return graph.node('Pad', [g, pads, graph.scalar(0), graph.integers([axis])], {
    type: x.type,
    shape: x.shape,
  });
}

export interface Padding {
  /** elements before and after, for each axis */
  readonly amounts: readonly (readonly [number, number])[];
  /** default 0 */
  readonly value?: number;
}

/** x with a constant around it; the gradient of x is the inner part. */
export function pad(x: Tensor, { amounts, value = 0 }: Padding): Tensor {
  const { graph } = x;
  if (amounts.length !== x.shape.length || amounts.flat().some((amount) => amount < 0))
    throw new EmacError(
      'internal',
      `pad: needs two counts for each axis of ${shapeText(x.shape)}, got [${amounts.join('; ')}]`,
    );
  const shape = x.shape.map((dimension, axis) => addDimensions(dimension, ...amounts[axis]!));
  const befores = amounts.map(([before]) => before);
  const ends = amounts.map(([, after]) => (after === 0 ? Number.MAX_SAFE_INTEGER : -after));
  return graph.node(
    'Pad',
    [x, graph.integers([...befores, ...amounts.map(([, after]) => after)]), graph.scalar(value)],
    { type: x.type, shape },
    {
      origin: {
        inputs: [x],
        vjp: (g) => [
          graph.node('Slice', [g, graph.integers(befores), graph.integers(ends)], {
            type: x.type,
            shape: x.shape,
          }),
        ],
      },
    },
  );
}
