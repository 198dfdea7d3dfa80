/** Whole numbers as an int64 tensor of a shape. */
import type { Value } from '@emac/graph';

export function integers(values: readonly number[], shape: readonly number[]): Value {
  return { type: 'int64', shape, data: BigInt64Array.from(values, (value) => BigInt(value)) };
}
