/**
 * Float32 values as a GGUF file stores them: F32, F16 (to nearest, ties to even), or Q8_0 as `gguf.quants.quantize` of the `gguf` package
 * makes it: d = max |x| / 127, and x / d rounded away from zero at ties, by float32 arithmetic.
 */
import { EmacError } from '@emac/core';
import { float32ToFloat16 } from '@emac/files';

export type StoredType = 'F32' | 'F16' | 'Q8_0';

const { abs, floor, fround, sign } = Math;

/** Errors: `data`, naming the place, for a value that the type cannot hold. */
export function quantize(type: StoredType, values: Float32Array, place: string): Uint8Array {
  if (type === 'F32') return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const limit = type === 'F16' ? 65_520 : 127 * 65_520;
  const bad = values.find((value) => !(abs(value) < limit));
  if (bad !== undefined)
    throw new EmacError(
      'data',
      `${place}: every value must be finite and below ${limit} to be stored as ${type}, got ${bad}; no type of larger range is written`,
    );
  return type === 'F16' ? new Uint8Array(float32ToFloat16(values).buffer) : q8(values);
}

function q8(values: Float32Array): Uint8Array {
  const blocks = values.length / 32;
  const out = new Uint8Array(blocks * 34);
  const scales = new Float32Array(blocks);
  for (let block = 0; block < blocks; block++) {
    let largest = 0;
    for (let each = block * 32; each < block * 32 + 32; each++)
      largest = Math.max(largest, abs(values[each]!));
    const d = fround(largest / 127);
    const inverse = d === 0 ? 0 : fround(1 / d);
    scales[block] = d;
    for (let each = 0; each < 32; each++)
      out[block * 34 + 2 + each] = rounded(fround(values[block * 32 + each]! * inverse));
  }
  const halves = new Uint8Array(float32ToFloat16(scales).buffer);
  for (let block = 0; block < blocks; block++) {
    out[block * 34] = halves[2 * block]!;
    out[block * 34 + 1] = halves[2 * block + 1]!;
  }
  return out;
}

/** Half away from zero, of a float32. */
function rounded(value: number): number {
  const whole = floor(abs(value));
  return sign(value) * (whole + floor(2 * fround(abs(value) - whole)));
}
