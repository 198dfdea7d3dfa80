/** Float32 values in the type in which a model file stores them. */
import { EmacError } from '@emac/core';
import { float32ToFloat16, type Dtype } from '@emac/files';

/** Little-endian bytes, rounded to nearest with ties to even. Errors: `data` for a type that holds no such values. */
export function storedFloats(values: Float32Array, dtype: Dtype): Uint8Array {
  if (dtype === 'F32') return bytesOf(values);
  if (dtype === 'F16') return bytesOf(float32ToFloat16(values));
  if (dtype === 'BF16') return bytesOf(bfloat16Of(values));
  throw new EmacError('data', `the projection must be stored as F32, F16 or BF16, got ${dtype}`);
}

/** The upper half of each float32, rounded; what is no number stays none. */
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
