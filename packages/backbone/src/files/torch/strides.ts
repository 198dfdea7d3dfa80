/** How a tensor's elements lie in a block of numbers: stride s moves by s elements for one step along its axis. */
export interface Layout {
  readonly shape: readonly number[];
  readonly stride: readonly number[];
}

/** True where elements lie row by row without gaps. */
export function isContiguous({ shape, stride }: Layout): boolean {
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] !== 1 && stride[axis] !== expected) return false;
    expected *= shape[axis]!;
  }
  return true;
}

/** Number of elements from the first to the last, both included; 0 if a size is 0. */
export function spanOf({ shape, stride }: Layout): number {
  if (shape.includes(0)) return 0;
  return shape.reduce((sum, size, axis) => sum + (size - 1) * stride[axis]!, 1);
}

/** The elements row by row; `bytes` from the first element to the last, `length` bytes in all. */
export function reordered(
  bytes: Uint8Array,
  { shape, stride }: Layout,
  length: number,
): Uint8Array<ArrayBuffer> {
  const count = shape.reduce((product, size) => product * size, 1);
  const width = length / count;
  const result = new Uint8Array(length);
  const index = shape.map(() => 0);
  for (let element = 0, from = 0; element < count; element++) {
    for (let byte = 0; byte < width; byte++) result[element * width + byte] = bytes[from * width + byte]!;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += stride[axis]!;
      if (++index[axis]! < shape[axis]!) break;
      from -= index[axis]! * stride[axis]!;
      index[axis] = 0;
    }
  }
  return result;
}
