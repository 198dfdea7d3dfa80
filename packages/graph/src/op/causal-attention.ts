/**
 * Self-attention of a sequence where no position sees a later one. Queries are split into halves: the first half needs
 * no keys of the second, so a quarter of the products and of the probabilities is never computed. More parts would save
 * more, but their copies cost as much.
 */
import { divideDimensions, leastSize, sameDimension, subtractDimensions } from '../dimension.ts';
import type { Tensor } from '../graph.ts';
import type { Dimension, Shape } from '../shape.ts';
import {
  attention,
  attentionBackward,
  attentionForward,
  rowProducts,
  type AttentionOperands,
} from './attention.ts';
import { add } from './elementwise.ts';

/** Positions are the second-last axis of all sliced values here. */
const positions = 2;

/** The sizes of both halves. */
interface Halves {
  readonly first: Dimension;
  readonly second: Dimension;
}

interface Part extends AttentionOperands {
  readonly output: Tensor;
}

/**
 * `attention` with a bias [B or 1, 1, S, S] that hides every later position. It falls back to plain `attention` without
 * a bias, if keys and queries are not the same positions, or if S may be 1, as a lone symbol may ('1+S' may not).
 */
export function causalAttention(operands: AttentionOperands): Tensor {
  const { query, key, value, bias } = operands;
  const { graph } = query;
  const length = query.shape.at(positions)!;
  const isSquare = [key, bias].every((x) => sameDimension(x?.shape.at(positions), length));
  if (!bias || !isSquare || leastSize(length) < 2) return attention(operands);
  const first = divideDimensions(length, 2);
  const halves: Halves = { first, second: subtractDimensions(length, first) };
  const parts = partsOf({ ...operands, bias }, halves);
  const output = joined(
    parts.map((part) => part.output),
    query,
  );
  return graph.withOrigin(output, {
    inputs: [query, key, value],
    vjp: (g) => {
      const along = split(rowProducts(g, output), halves);
      const gs = split(g, halves);
      const [one, two] = parts.map((part, half) =>
        attentionBackward({ ...part, g: gs[half]!, along: along[half]! }),
      ) as [ReturnType<typeof attentionBackward>, ReturnType<typeof attentionBackward>];
      const whole = (name: 'key' | 'value') => add(lengthened(one[name], halves, two[name]), two[name]);
      return [joined([one.query, two.query], query), whole('key'), whole('value')];
    },
  });
}

function partsOf(operands: AttentionOperands & { readonly bias: Tensor }, halves: Halves): Part[] {
  const { query, key, value, bias, scale } = operands;
  const { graph } = query;
  const [early, late] = split(query, halves) as [Tensor, Tensor];
  const [earlyRows, lateRows] = [0, 1].map((half) =>
    graph.memo(`half ${half} of ${bias.name}`, () => split(bias, halves)[half]!),
  ) as [Tensor, Tensor];
  const earlyBias = graph.memo(`corner of ${bias.name}`, () => beginning(earlyRows, 3, halves.first));
  return [
    {
      query: early,
      key: beginning(key, positions, halves.first),
      value: beginning(value, positions, halves.first),
      bias: earlyBias,
    },
    { query: late, key, value, bias: lateRows },
  ].map((part) => ({ ...part, scale, output: attentionForward({ ...part, scale }) }));
}

function withPositions(shape: Shape, length: Dimension): Shape {
  return shape.with(positions, length);
}

function split(x: Tensor, { first, second }: Halves): Tensor[] {
  const { graph, type, shape } = x;
  return graph.nodeWithOutputs(
    'Split',
    [x, graph.shapeVector([first, second])],
    [first, second].map((length) => ({ type, shape: withPositions(shape, length) })),
    { attributes: { axis: positions } },
  );
}

function joined(halves: readonly Tensor[], like: Tensor): Tensor {
  const { type, shape } = like;
  return like.graph.node('Concat', halves, { type, shape }, { attributes: { axis: positions } });
}

/** The first `size` elements along an axis. */
function beginning(x: Tensor, axis: number, size: Dimension): Tensor {
  const { graph, type, shape } = x;
  return graph.node('Slice', [x, graph.integers([0]), graph.shapeVector([size]), graph.integers([axis])], {
    type,
    shape: shape.with(axis, size),
  });
}

/** Zeros after the first half's positions. */
function lengthened(x: Tensor, { second }: Halves, like: Tensor): Tensor {
  const { graph, type } = x;
  const added = graph.shapeVector([0, second]);
  return graph.node('Pad', [x, added, graph.scalar(0), graph.integers([positions])], {
    type,
    shape: like.shape,
  });
}
