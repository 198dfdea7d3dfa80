/**
 * Half precision (IEEE 754 binary16) and bfloat16, as bits in `Uint16Array`, because Node 20 has no Float16Array.
 * Conversion to float32 is exact; from float32 it rounds to nearest, ties to even, overflow to infinity, as hardware
 * does.
 */

let halfValues: Float32Array | undefined;

/** Half-precision bits as float32; every value is exact. */
export function float16ToFloat32(bits: Uint16Array): Float32Array<ArrayBuffer> {
  const table = (halfValues ??= Float32Array.from({ length: 65536 }, (_, half) => valueOfHalf(half)));
  const values = new Float32Array(bits.length);
  for (let index = 0; index < bits.length; index++) values[index] = table[bits[index]!]!;
  return values;
}

/** Float32 as half-precision bits, rounded to nearest with ties to even. */
export function float32ToFloat16(values: Float32Array): Uint16Array<ArrayBuffer> {
  const source = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const bits = new Uint16Array(values.length);
  for (let index = 0; index < values.length; index++) bits[index] = halfOf(source[index]!);
  return bits;
}

/** Bfloat16 bits (the upper half of a float32) as float32; every value is exact. */
export function bfloat16ToFloat32(bits: Uint16Array): Float32Array<ArrayBuffer> {
  const words = new Uint32Array(bits.length);
  for (let index = 0; index < bits.length; index++) words[index] = bits[index]! << 16;
  return new Float32Array(words.buffer);
}

function valueOfHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** `word` is a float32's bits. 0x477ff000 is 65520, halfway past the largest half; 0x38800000 is 2⁻¹⁴. */
function halfOf(word: number): number {
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) return sign | subnormalHalf(magnitude);
  const tieToEven = (magnitude >>> 13) & 1;
  return sign | ((magnitude - 0x38000000 + 0xfff + tieToEven) >>> 13);
}

/** Rounds to a multiple of 2⁻²⁴, the step of subnormal halves. */
function subnormalHalf(magnitude: number): number {
  const exponent = magnitude >>> 23;
  const shift = 126 - exponent;
  if (shift > 24) return 0;
  const mantissa = (magnitude & 0x7fffff) | 0x800000;
  const kept = mantissa >>> shift;
  const rest = mantissa & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return rest > half || (rest === half && kept & 1) ? kept + 1 : kept;
}
