/**
 * Element types of the safetensors format (huggingface/safetensors, README "Format") and their sizes in bytes.
 * Departure: types of less than one byte (F4, F6) are rejected like any unknown type.
 */
const elementBytes = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E5M2: 1,
  F8_E4M3: 1,
  U16: 2,
  I16: 2,
  F16: 2,
  BF16: 2,
  U32: 4,
  I32: 4,
  F32: 4,
  U64: 8,
  I64: 8,
  F64: 8,
} as const;

export type Dtype = keyof typeof elementBytes;

export function isDtype(text: unknown): text is Dtype {
  return typeof text === 'string' && Object.hasOwn(elementBytes, text);
}

/** Bytes of one element. */
export function bytesPerElement(dtype: Dtype): number {
  return elementBytes[dtype];
}

/** Bytes of a tensor; NaN if the shape is not a list of counts or the product exceeds the safe integers. */
export function tensorBytes(dtype: Dtype, shape: readonly unknown[]): number {
  let bytes = bytesPerElement(dtype);
  for (const size of shape) {
    if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return NaN;
    bytes *= size;
  }
  return Number.isSafeInteger(bytes) ? bytes : NaN;
}
