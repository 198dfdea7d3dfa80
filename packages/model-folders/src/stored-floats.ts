/** Float32 values in a model file's stored type. */
import { EmacError } from '@emac/core';
import { float32ToFloat16, type Dtype } from '@emac/files';

/** Little-endian bytes, rounded to nearest with ties to even. Errors: `data`, naming the place, for a type that cannot hold the values. */
export function storedFloats(values: Float32Array, dtype: Dtype, place: string): Uint8Array {
  if (dtype === 'F32') return bytesOf(values);
  if (dtype === 'F16') return bytesOf(float32ToFloat16(withinFloat16(values, place)));
  if (dtype === 'BF16') return bytesOf(bfloat16Of(values));
  throw new EmacError('data', `${place}: must be stored as F32, F16 or BF16, got ${dtype}`);
}

/** Values nearer to the next power of two than to the largest number would become infinite. */
function withinFloat16(values: Float32Array, place: string): Float32Array {
  const tooLarge = values.find((value) => Math.abs(value) >= 65_520);
  if (tooLarge === undefined) return values;
  throw new EmacError(
    'data',
    `${place}: must lie within ±65504 to be stored as float16, got ${tooLarge}; store it as bfloat16 or float32`,
  );
}

/** The upper half of each float32, rounded; NaN stays NaN. */
function bfloat16Of(values: Float32Array): Uint16Array {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return Uint16Array.from(words, (word) => {
    if ((word & 0x7fffffff) > 0x7f800000) return (word >>> 16) | 0x40;
    return (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
  });
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
