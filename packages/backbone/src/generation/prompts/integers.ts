/**
 * 32-bit integers as an int64 tensor of a shape. Written as halves, the lower one first as on all machines that ONNX
 * Runtime runs on: a bigint for each number takes ten times as long.
 */
import type { Value } from '@emac/graph';

export function integers(values: ArrayLike<number>, shape: readonly number[]): Value {
  const data = new BigInt64Array(values.length);
  const halves = new Int32Array(data.buffer);
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    halves[2 * index] = value;
    halves[2 * index + 1] = value < 0 ? -1 : 0;
  }
  return { type: 'int64', shape, data };
}
