/**
 * Values known during import: the integers used by exported networks to compute shapes. A dimension that is only known
 * at run time is a symbol here.
 */
import {
  op,
  sameDimension,
  type ConstantData,
  type DataType,
  type Dimension,
  type Graph,
  type Shape,
  type Tensor,
} from '@emac/graph';
import { elementCount, floatValues, integerValues, type StoredTensor } from './stored-tensor.ts';
import { toNumber } from './raw-model.ts';

export interface Known {
  readonly type: DataType;
  readonly shape: readonly number[];
  /** row by row; bool as 0 and 1; symbols only in integers */
  readonly values: readonly Dimension[];
  /** whether it is stored in the file and may be trained: then arithmetic on it is left to the graph */
  readonly isStored: boolean;
}

/** Larger tensors are weights or data, not shapes. */
export const largestKnown = 4096;

export function knownOf(stored: StoredTensor): Known | null {
  if (elementCount(stored.shape) > largestKnown) return null;
  const isFloat = stored.element.type === 'float32';
  const values = isFloat
    ? [...floatValues(stored)]
    : Array.from<number | bigint, number>(integerValues(stored), toNumber);
  return { type: stored.element.type, shape: stored.shape, values, isStored: true };
}

/** A shape as an int64 vector. */
export const knownShape = (shape: Shape): Known => ({
  type: 'int64',
  shape: [shape.length],
  values: shape,
  isStored: false,
});

/** The same value in the graph. */
export function tensorOf(known: Known, graph: Graph): Tensor {
  const { type, shape, values } = known;
  if (values.every((value) => typeof value === 'number')) {
    const key = `known ${type} [${shape.join()}] ${values.join()}`;
    return graph.memo(key, () => constantOf(known, graph));
  }
  return op.cast(op.reshape(graph.shapeVector(values), shape), type);
}

function constantOf({ type, shape, values }: Known, graph: Graph): Tensor {
  const numbers = values as readonly number[];
  const data: ConstantData =
    type === 'float32'
      ? Float32Array.from(numbers)
      : type === 'int64'
        ? BigInt64Array.from(numbers, (value) => BigInt(value))
        : Int32Array.from(numbers);
  return op.cast(graph.constant(data, shape), type);
}

/** Whether two known values are equal; null if only a run can tell. */
export function sameKnown(a: Dimension, b: Dimension): boolean | null {
  if (typeof a === 'number' && typeof b === 'number') return a === b;
  if (sameDimension(a, b)) return true;
  // a size is never negative
  return [a, b].some((value) => typeof value === 'number' && value < 0) ? false : null;
}
