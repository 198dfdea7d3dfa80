/** Operators that move values. */
import {
  addDimensions,
  broadcastShape,
  exactQuotient,
  multiplyDimensions,
  op,
  subtractDimensions,
  type Dimension,
  type Shape,
  type Tensor,
} from '@emac/graph';
import { isNumericBound, sliceBounds, sliceIndices, type SliceBounds } from '../slice-bounds.ts';
import type { NodeReader } from '../node-reader.ts';
import { merged, otherAxes, withoutGradient, type Operators } from './operator.ts';

export const shapes: Operators = {
  Reshape: reshape,
  Flatten: (node) => {
    const x = node.tensor(0);
    const axis = node.integer('axis', 1);
    const cut = axis < 0 ? axis + x.shape.length : axis;
    return op.reshape(x, [merged(x.shape.slice(0, cut)), merged(x.shape.slice(cut))]);
  },
  Squeeze: (node) => {
    const x = node.tensor(0);
    const axes = node.axes(1)?.map((axis) => node.axis(axis, x.shape.length));
    const wrong = axes?.find((axis) => x.shape[axis] !== 1);
    if (wrong !== undefined) throw node.error(`axis ${wrong} must be 1, got [${x.shape.join(', ')}]`);
    const isRemoved = (dimension: Dimension, axis: number) => (axes ? axes.includes(axis) : dimension === 1);
    return op.reshape(
      x,
      x.shape.filter((dimension, axis) => !isRemoved(dimension, axis)),
    );
  },
  Unsqueeze: (node) => {
    const x = node.tensor(0);
    const axes = node.axes(1) ?? [];
    const rank = x.shape.length + axes.length;
    const inserted = axes.map((axis) => node.axis(axis, rank));
    const kept = otherAxes(rank, inserted);
    return op.reshape(
      x,
      Array.from({ length: rank }, (_, axis) => (inserted.includes(axis) ? 1 : x.shape[kept.indexOf(axis)]!)),
    );
  },
  Transpose: (node) => {
    const x = node.tensor(0);
    return op.transpose(x, node.integers('perm') ?? x.shape.map((_, axis) => x.shape.length - 1 - axis));
  },
  Concat: (node) => op.concat(node.tensors(), node.integer('axis', 0)),
  Split: split,
  Slice: slice,
  Gather: gather,
  GatherElements: (node) => op.gatherElements(node.tensor(0), node.tensor(1), node.integer('axis', 0)),
  Expand: (node) => {
    const x = node.tensor(0);
    return op.expand(x, broadcastShape('Expand', x.shape, node.dimensions(1)));
  },
  Tile: (node) => op.tile(node.tensor(0), node.dimensions(1)),
  Pad: pad,
  Trilu: (node) =>
    op.triangle(node.tensor(0), { upper: node.integer('upper', 1) === 1, diagonal: node.number(1, 0) }),
  ConstantOfShape: (node) => {
    const value = node.stored('value');
    const one = {
      type: value?.type ?? 'float32',
      shape: [],
      values: [value?.values[0] ?? 0],
      isStored: false,
    } as const;
    return op.expand(node.constant(one), node.dimensions(0));
  },
  Range: range,
  DepthToSpace: (node) => depthToSpace(node),
};

/** Dimensions of the target: 0 copies (unless allowzero), one −1 is inferred. */
function reshape(node: NodeReader): Tensor {
  const x = node.tensor(0);
  const copies = node.integer('allowzero', 0) === 0;
  const target = node.dimensions(1).map((size, axis) => (size === 0 && copies ? (x.shape[axis] ?? 0) : size));
  const open = target.indexOf(-1);
  if (open < 0) return op.reshape(x, target);
  const rest = multiplyDimensions(1, ...target.filter((_, axis) => axis !== open));
  const left = exactQuotient(multiplyDimensions(1, ...x.shape), rest);
  if (left === null)
    throw node.error(
      `[${x.shape.join(', ')}] cannot become [${target.join(', ')}]: the sizes do not divide; fix the dimensions when exporting`,
    );
  return op.reshape(
    x,
    target.map((size, axis) => (axis === open ? left : size)),
  );
}

/** Sizes are an attribute (opset 11), an input, or equal parts (opset 18: `num_outputs`). */
function split(node: NodeReader): Tensor[] {
  const x = node.tensor(0);
  const axis = node.axis(node.integer('axis', 0), x.shape.length);
  const sizes = node.integers('split') ?? (node.has(1) ? node.dimensions(1) : null);
  return op.split(x, sizes ?? equalParts(node, x.shape[axis]!), axis);
}

/** The last part is smaller if the size is not divisible. */
function equalParts(node: NodeReader, size: Dimension): Shape {
  const count = node.node.outputs.length;
  if (node.integer('num_outputs', count) !== count)
    throw node.error(
      `has ${count} outputs, num_outputs ${node.integer('num_outputs', count)}; the file is damaged`,
    );
  const part = typeof size === 'number' ? Math.ceil(size / count) : exactQuotient(size, count);
  if (part === null) throw node.error(`${size} does not divide into ${count} equal parts`);
  const first = Array.from({ length: count - 1 }, () => part);
  return [...first, subtractDimensions(size, multiplyDimensions(part, count - 1))];
}

function slice(node: NodeReader): Tensor {
  const bounds = sliceBounds(node);
  if (!bounds)
    throw node.error(
      'start, end, axes and steps must be known before a run; make them constants when exporting',
    );
  return bounds.reduce((x, bound) => sliceOne(node, x, bound), node.tensor(0));
}

function sliceOne(node: NodeReader, x: Tensor, bound: SliceBounds): Tensor {
  const size = x.shape[bound.axis]!;
  if (bound.step === 1) {
    const [start, end] = [placeOf(node, bound.start, size), placeOf(node, bound.end, size)];
    const length = subtractDimensions(end, start);
    return op.narrow(x, bound.axis, {
      start,
      length: typeof length === 'number' ? Math.max(0, length) : length,
    });
  }
  if (typeof size !== 'number' || size > longestList || !isNumericBound(bound))
    throw node.error(`steps of ${bound.step} need fixed sizes, got ${size}; fix them when exporting`);
  return op.take(x, node.graph.integers(sliceIndices(size, bound)), bound.axis);
}

/**
 * A bound as an index of the axis. If bound or size are symbols, exporters only write bounds inside the axis, and a run
 * fails on others.
 */
function placeOf(node: NodeReader, bound: Dimension, size: Dimension): Dimension {
  if (typeof bound !== 'number') return bound;
  if (bound === Number.MAX_SAFE_INTEGER || bound >= 2 ** 31 - 1) return size;
  if (bound <= -(2 ** 31) + 1) return 0;
  if (typeof size === 'number') return Math.max(0, Math.min(size, bound < 0 ? bound + size : bound));
  return bound < 0 ? addDimensions(size, bound) : bound;
}

/** One known index becomes a slice, cheaper forward and backward. */
function gather(node: NodeReader): Tensor {
  const x = node.tensor(0);
  const axis = node.axis(node.integer('axis', 0), x.shape.length);
  const { known } = node.value(1);
  const index = known?.shape.length === 0 ? known.values[0] : undefined;
  if (typeof index !== 'number') {
    const indices = node.tensor(1);
    return op.take(x, indices.type === 'int64' ? indices : op.cast(indices, 'int64'), axis);
  }
  const start = index < 0 ? addDimensions(x.shape[axis]!, index) : index;
  return op.reshape(
    op.narrow(x, axis, { start, length: 1 }),
    x.shape.filter((_, other) => other !== axis),
  );
}

/** Modes other than constant have no gradient. */
function pad(node: NodeReader): Tensor | readonly Tensor[] {
  const x = node.tensor(0);
  const rank = x.shape.length;
  const pads = node.numbers(1);
  const axes = node.has(3) ? node.numbers(3).map((axis) => node.axis(axis, rank)) : otherAxes(rank, []);
  const amounts = x.shape.map((_, axis) => {
    const place = axes.indexOf(axis);
    return place < 0 ? ([0, 0] as const) : ([pads[place]!, pads[place + axes.length]!] as const);
  });
  const trimmed = amounts.reduce((rest, [before, after], axis) => {
    const start = Math.max(0, -before);
    const lost = start + Math.max(0, -after);
    return lost === 0
      ? rest
      : op.narrow(rest, axis, { start, length: subtractDimensions(rest.shape[axis]!, lost) });
  }, x);
  const grown = amounts.map(([before, after]) => [Math.max(0, before), Math.max(0, after)] as const);
  const mode = node.text('mode', 'constant');
  if (mode === 'constant') return op.pad(trimmed, { amounts: grown, value: node.number(2, 0) });
  const shape = trimmed.shape.map((size, axis) => addDimensions(size, ...grown[axis]!));
  const sides = [...grown.map(([before]) => before), ...grown.map(([, after]) => after)];
  const padded = node.graph.node(
    'Pad',
    [trimmed, node.graph.integers(sides)],
    { type: x.type, shape },
    { attributes: { mode } },
  );
  return withoutGradient(node, [padded]);
}

/** A longer list in the graph indicates a mistake. */
const longestList = 1 << 24;

/** 0 … n−1 by 1; the size may be a symbol. */
function range(node: NodeReader): Tensor {
  const bounds = [0, 1, 2].map((input) => node.known(input).values[0]!);
  const [start, limit, step] = bounds as [Dimension, Dimension, Dimension];
  const { type } = node.value(0);
  if (type === 'float32' && bounds.every((bound) => typeof bound === 'number')) {
    const count = Math.max(0, Math.ceil(((limit as number) - (start as number)) / (step as number)));
    if (!(count <= longestList)) throw node.error(`of ${count} numbers is not supported`);
    const values = Array.from({ length: count }, (_, index) => (start as number) + index * (step as number));
    return node.constant({ type, shape: [count], values, isStored: false });
  }
  if (step !== 1) throw node.error(`with a size of a run needs steps of 1, got ${step}`);
  const tensors = [0, 1, 2].map((input) => node.tensor(input));
  return node.graph.node('Range', tensors, { type, shape: [subtractDimensions(limit, start)] });
}

/** Moves blocks of channels to positions (`DCR` and `CRD` in ONNX's terms). */
function depthToSpace(node: NodeReader): Tensor {
  const x = node.tensor(0);
  const [batch, channels, height, width] = x.shape as readonly [Dimension, Dimension, Dimension, Dimension];
  const block = node.integer('blocksize', 1);
  const depth = exactQuotient(channels, block * block);
  if (depth === null || x.shape.length !== 4)
    throw node.error(`needs [N, C·${block}², H, W], got [${x.shape.join(', ')}]`);
  const blocksFirst = node.text('mode', 'DCR') === 'DCR';
  const split = blocksFirst ? [batch, block, block, depth] : [batch, depth, block, block];
  const order = blocksFirst ? [0, 3, 4, 1, 5, 2] : [0, 1, 4, 2, 5, 3];
  return op.reshape(op.transpose(op.reshape(x, [...split, height, width]), order), [
    batch,
    depth,
    multiplyDimensions(height, block),
    multiplyDimensions(width, block),
  ]);
}
