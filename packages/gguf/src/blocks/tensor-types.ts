/**
 * Tensor types of GGUF that are read here: numbers in their file (ggml.h, `ggml_type`), values of a block and its bytes.
 * A row of a tensor is a whole number of blocks.
 */
export const tensorTypes = {
  F32: { id: 0, values: 1, bytes: 4 },
  F16: { id: 1, values: 1, bytes: 2 },
  BF16: { id: 30, values: 1, bytes: 2 },
  Q8_0: { id: 8, values: 32, bytes: 34 },
  Q4_0: { id: 2, values: 32, bytes: 18 },
  Q4_1: { id: 3, values: 32, bytes: 20 },
  Q5_0: { id: 6, values: 32, bytes: 22 },
  Q5_1: { id: 7, values: 32, bytes: 24 },
  Q4_K: { id: 12, values: 256, bytes: 144 },
  Q5_K: { id: 13, values: 256, bytes: 176 },
  Q6_K: { id: 14, values: 256, bytes: 210 },
} as const;

export type TensorType = keyof typeof tensorTypes;

/** The type with this number; null if it is not read here. */
export function tensorTypeOf(id: number): TensorType | null {
  return (Object.keys(tensorTypes) as TensorType[]).find((type) => tensorTypes[type].id === id) ?? null;
}

/** Values of a tensor of this shape. */
export function valuesIn(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Bytes of `values` values, which are whole blocks. */
export function blockBytes(type: TensorType, values: number): number {
  return (values / tensorTypes[type].values) * tensorTypes[type].bytes;
}

/** Reads a half-precision number at a byte. */
export type Half = (at: number) => number;

/** Writes the values of the block that starts at byte `at` from `to` on. */
export type ReadBlock = (block: {
  readonly bytes: Uint8Array;
  readonly half: Half;
  readonly at: number;
  readonly out: Float32Array;
  readonly to: number;
}) => void;
