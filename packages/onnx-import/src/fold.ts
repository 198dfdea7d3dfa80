/**
 * Folds values that are known during import: the chains of Shape, Gather, Concat, … that end in a Reshape. Only
 * operators of these chains are here; all others are left to the graph.
 */
import {
  addDimensions,
  broadcastShape,
  divideDimensions,
  multiplyDimensions,
  sameDimension,
  subtractDimensions,
  type DataType,
  type Dimension,
} from '@emac/graph';
import { knownShape, largestKnown, sameKnown, type Known } from './known.ts';
import type { NodeReader } from './node-reader.ts';
import { isNumericBound, sliceBounds, sliceIndices } from './slice-bounds.ts';
import { elementCount, elementOf } from './stored-tensor.ts';

/** One value from known ones; null if only a run can tell. */
type Scalar = (values: readonly Dimension[], type: DataType) => Dimension | null;

const numeric =
  (compute: (...numbers: number[]) => number): Scalar =>
  (values) =>
    values.every((value) => typeof value === 'number') ? compute(...(values as number[])) : null;

const flag = (value: boolean): number => (value ? 1 : 0);

/** Exact on dimensions, ordinary on floats. */
const arithmetic =
  (
    onDimensions: (a: Dimension, b: Dimension) => Dimension | null,
    onFloats: (a: number, b: number) => number,
  ): Scalar =>
  ([a, b], type) =>
    type === 'float32' ? Math.fround(onFloats(a as number, b as number)) : onDimensions(a!, b!);

const quotient = (a: Dimension, b: Dimension): Dimension | null => {
  if (typeof a === 'number' && typeof b === 'number') return b === 0 ? null : Math.trunc(a / b);
  return typeof b === 'number' && b <= 0 ? null : divideDimensions(a, b);
};

const elementwise: Readonly<Record<string, Scalar>> = {
  Add: arithmetic(addDimensions, (a, b) => a + b),
  Sub: arithmetic(subtractDimensions, (a, b) => a - b),
  Mul: arithmetic(multiplyDimensions, (a, b) => a * b),
  Div: arithmetic(quotient, (a, b) => a / b),
  Mod: numeric((a, b) => a - b * Math.floor(a / b)),
  Min: numeric(Math.min),
  Max: numeric(Math.max),
  Pow: numeric((a, b) => a ** b),
  Neg: ([a]) => multiplyDimensions(-1, a!),
  Abs: numeric(Math.abs),
  Sqrt: numeric((a) => Math.fround(Math.sqrt(a))),
  Floor: numeric(Math.floor),
  Ceil: numeric(Math.ceil),
  Equal: ([a, b]) => {
    const same = sameKnown(a!, b!);
    return same === null ? null : flag(same);
  },
  Less: numeric((a, b) => flag(a < b)),
  LessOrEqual: numeric((a, b) => flag(a <= b)),
  Greater: numeric((a, b) => flag(a > b)),
  GreaterOrEqual: numeric((a, b) => flag(a >= b)),
  And: numeric((a, b) => a && b),
  Or: numeric((a, b) => a || b),
  Not: numeric((a) => flag(!a)),
  Where: ([condition, a, b]) => {
    if (sameDimension(a, b)) return a!;
    return condition === 1 ? a! : condition === 0 ? b! : null;
  },
};

const comparisons = new Set(['Equal', 'Less', 'LessOrEqual', 'Greater', 'GreaterOrEqual']);

type Fold = (node: NodeReader) => Known | null;

/** The node's only output, if it is known; null if the graph must compute it. */
export function fold(node: NodeReader): Known | null {
  const { type, domain } = node.node;
  if (domain !== '') return null;
  const rule = Object.hasOwn(folds, type) ? folds[type]! : null;
  if (rule) return rule(node);
  return Object.hasOwn(elementwise, type) ? foldElementwise(node, elementwise[type]!) : null;
}

const folds: Readonly<Record<string, Fold>> = {
  Shape: (node) => {
    const { shape } = node.value(0);
    return knownShape(shape.slice(node.integer('start', 0), node.integer('end', shape.length)));
  },
  Size: (node) => ({ ...knownShape([]), shape: [], values: [multiplyDimensions(1, ...node.value(0).shape)] }),
  Constant: (node) => constant(node),
  ConstantOfShape: (node) => {
    const sizes = node.dimensions(0);
    const value = node.stored('value') ?? { type: 'float32', values: [0] };
    if (!isSmall(sizes)) return null;
    return {
      type: value.type,
      shape: sizes,
      values: Array(elementCount(sizes)).fill(value.values[0]),
      isStored: false,
    };
  },
  Identity: (node) => node.value(0).known,
  Cast: foldCast,
  Range: (node) => {
    if (node.value(0).type === 'float32' || !knowsAll(node)) return null;
    const bounds = [0, 1, 2].map((input) => node.known(input).values[0]!);
    if (bounds.some((bound) => typeof bound !== 'number')) return null;
    const [start, limit, step] = bounds as [number, number, number];
    const count = Math.max(0, Math.ceil((limit - start) / step));
    if (!(count <= largestKnown)) return null;
    const values = Array.from({ length: count }, (_, index) => start + index * step);
    return { type: node.value(0).type, shape: [count], values, isStored: false };
  },
  Unsqueeze: (node) => {
    const axes = node.axes(1) ?? [];
    const rank = node.value(0).shape.length + axes.length;
    const inserted = new Set(axes.map((axis) => node.axis(axis, rank)));
    return reshaped(node, (shape) => {
      const rest = [...shape];
      return Array.from({ length: rank }, (_, axis) => (inserted.has(axis) ? 1 : rest.shift()!));
    });
  },
  Squeeze: (node) => {
    const axes = node.axes(1);
    return reshaped(node, (shape) => {
      const removed = axes && new Set(axes.map((axis) => node.axis(axis, shape.length)));
      return shape.filter((dimension, axis) => (removed ? !removed.has(axis) : dimension !== 1));
    });
  },
  Reshape: (node) => {
    const { known } = node.value(0);
    const target = node.inputs[1]?.known?.values;
    if (!known || !target?.every((size) => typeof size === 'number')) return null;
    const rest = target.reduce<number>((product, size) => (size === -1 ? product : product * size), 1);
    return reshaped(node, () => target.map((size) => (size === -1 ? known.values.length / rest : size)));
  },
  Gather: (node) => {
    const [data, indices] = [node.value(0).known, node.inputs[1]?.known];
    if (!data || !indices || data.shape.length !== 1 || !isNumeric(indices.values)) return null;
    const values = indices.values.map((index) => data.values.at(index)!);
    if (values.includes(undefined as never)) throw node.error(`index out of range of ${data.shape[0]}`);
    return notStored({ ...data, shape: indices.shape, values }, node);
  },
  Slice: (node) => {
    const { known } = node.value(0);
    const bounds = sliceBounds(node);
    if (!known || !bounds?.every(isNumericBound)) return null;
    const cut = bounds.reduce<Known>((rest, bound) => {
      const taken = sliceIndices(rest.shape[bound.axis]!, bound);
      const shape = rest.shape.map((size, axis) => (axis === bound.axis ? taken.length : size));
      return rearranged(rest, shape, (place) =>
        place.map((index, axis) => (axis === bound.axis ? taken[index]! : index)),
      );
    }, known);
    return notStored(cut, node);
  },
  Transpose: (node) => {
    const { known } = node.value(0);
    if (!known) return null;
    const order = node.integers('perm') ?? known.shape.map((_, axis) => known.shape.length - 1 - axis);
    const shape = order.map((axis) => known.shape[node.axis(axis, known.shape.length)]!);
    const turned = rearranged(known, shape, (place) =>
      known.shape.map((_, axis) => place[order.indexOf(axis)]!),
    );
    return notStored(turned, node);
  },
  Concat: (node) => {
    const parts = node.inputs.map((value) => value?.known ?? null);
    if (!parts.every((part) => part?.shape.length === 1)) return null;
    const values = parts.flatMap((part) => part!.values);
    return notStored({ ...parts[0]!, shape: [values.length], values }, node);
  },
  Expand: (node) => {
    const sizes = node.inputs[1]?.known?.values;
    const { known } = node.value(0);
    if (!known || known.values.length !== 1 || !sizes || !isSmall(sizes)) return null;
    const shape = broadcastShape('Expand', known.shape, sizes) as number[];
    return notStored({ ...known, shape, values: Array(elementCount(shape)).fill(known.values[0]) }, node);
  },
  ReduceProd: (node) => reduced(node, (values) => multiplyDimensions(1, ...values)),
  ReduceSum: (node) => reduced(node, (values) => addDimensions(0, ...values)),
};

const isNumeric = (values: readonly Dimension[]): values is readonly number[] =>
  values.every((value) => typeof value === 'number');

const isSmall = (sizes: readonly Dimension[]): sizes is readonly number[] =>
  isNumeric(sizes) && elementCount(sizes) <= largestKnown;

const knowsAll = (node: NodeReader): boolean =>
  node.inputs.every((value) => value === null || value.known !== null);

/** Floats stored in the file may be trained: values computed from them alone stay in the graph. */
function notStored(known: Known, node: NodeReader): Known | null {
  const isWeight = known.type === 'float32' && node.inputs.every((value) => !value || value.known?.isStored);
  return isWeight ? null : { ...known, isStored: false };
}

function reshaped(node: NodeReader, shapeOf: (shape: readonly number[]) => readonly number[]): Known | null {
  const { known } = node.value(0);
  if (!known) return null;
  const shape = shapeOf(known.shape);
  return elementCount(shape) === known.values.length ? notStored({ ...known, shape }, node) : null;
}

/** Values of another shape, each taken from a place in `known`. */
function rearranged(
  known: Known,
  shape: readonly number[],
  source: (place: readonly number[]) => readonly number[],
): Known {
  const values = Array.from({ length: elementCount(shape) }, (_, index) => {
    const place = source(placeOf(index, shape));
    return known.values[place.reduce((flat, at, axis) => flat * known.shape[axis]! + at, 0)]!;
  });
  return { ...known, shape, values };
}

/** The index along each axis of an element counted row by row. */
function placeOf(index: number, shape: readonly number[]): readonly number[] {
  const place = shape.map(() => 0);
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    place[axis] = index % shape[axis]!;
    index = Math.floor(index / shape[axis]!);
  }
  return place;
}

function reduced(node: NodeReader, combine: (values: readonly Dimension[]) => Dimension): Known | null {
  const { known } = node.value(0);
  if (!known || known.shape.length !== 1 || known.type === 'float32') return null;
  const shape = node.integer('keepdims', 1) ? [1] : [];
  return { type: known.type, shape, values: [combine(known.values)], isStored: false };
}

function foldElementwise(node: NodeReader, scalar: Scalar): Known | null {
  const inputs = node.inputs.map((value) => value?.known ?? null);
  if (inputs.length === 0 || !inputs.every((known) => known !== null)) return null;
  const operand = inputs.at(-1)!;
  const shape = inputs
    .map((known) => known.shape)
    .reduce((a, b) => broadcastShape(node.node.type, a, b) as number[]);
  const values = Array.from({ length: elementCount(shape) }, (_, index) =>
    scalar(
      inputs.map((known) => known.values[broadcastIndex(index, shape, known.shape)]!),
      operand.type,
    ),
  );
  if (values.includes(null)) return null;
  const type = comparisons.has(node.node.type) ? 'bool' : operand.type;
  return notStored({ type, shape, values: values as Dimension[], isStored: false }, node);
}

/** The index in an operand of `inner` shape for an index in the broadcast shape. */
function broadcastIndex(index: number, outer: readonly number[], inner: readonly number[]): number {
  let place = 0;
  let stride = 1;
  for (let axis = 1; axis <= inner.length; axis++) {
    const size = inner.at(-axis)!;
    if (size !== 1) place += (index % outer.at(-axis)!) * stride;
    stride *= size;
    index = Math.floor(index / outer.at(-axis)!);
  }
  return place;
}

function foldCast(node: NodeReader): Known | null {
  const { known } = node.value(0);
  const { type } = elementOf(node.integer('to', 1), `Cast "${node.node.name}"`);
  if (!known || (type === 'float32' && known.isStored && known.type === 'float32')) return null;
  const isSymbolic = !isNumeric(known.values);
  if (isSymbolic && type !== 'int64' && type !== 'int32') return null;
  const convert = { float32: Math.fround, bool: (value: number) => flag(value !== 0) } as const;
  const values = isSymbolic
    ? known.values
    : (known.values as readonly number[]).map(
        type === 'float32' || type === 'bool' ? convert[type] : Math.trunc,
      );
  return { type, shape: known.shape, values, isStored: false };
}

function constant(node: NodeReader): Known | null {
  const tensor = node.attribute('value');
  if (tensor !== undefined)
    return typeof tensor === 'object' && 'element' in tensor && elementCount(tensor.shape) > largestKnown
      ? null
      : node.stored('value');
  const one = (type: DataType, name: string): Known | null => {
    const value = node.attribute(name);
    if (value === undefined) return null;
    const values = typeof value === 'number' ? [value] : node.integers(name)!;
    return { type, shape: typeof value === 'number' ? [] : [values.length], values, isStored: true };
  };
  const found =
    one('int64', 'value_int') ??
    one('int64', 'value_ints') ??
    one('float32', 'value_float') ??
    one('float32', 'value_floats');
  if (found) return found;
  throw node.error('needs a value of numbers; texts and sparse tensors are not supported');
}
