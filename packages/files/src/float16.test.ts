import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bfloat16ToFloat32, float16ToFloat32, float32ToFloat16 } from './float16.ts';

const allHalves = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
/** the finite halves from zero up; bits grow with the value */
const positive = [...float16ToFloat32(allHalves.subarray(0, 0x7c00))];

/** The nearest half by searching all of them: an oracle that shares no code with the conversion. */
function nearestBits(value: number): number {
  const magnitude = Math.abs(value);
  const sign = Object.is(value, -0) || value < 0 ? 0x8000 : 0;
  // 65520 lies halfway between the largest half, 65504, and the next step, 65536.
  if (magnitude >= 65520) return sign | 0x7c00;
  let low = 0;
  let high = positive.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (positive[middle]! <= magnitude) low = middle;
    else high = middle - 1;
  }
  const below = magnitude - positive[low]!;
  const above = (positive[low + 1] ?? 65536) - magnitude;
  return sign | (below < above || (below === above && low % 2 === 0) ? low : low + 1);
}

describe('half precision', () => {
  it("has the standard's values", () => {
    // IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits.
    const bits = Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x3555, 0x7c00, 0xfc00);
    expect([...float16ToFloat32(bits)]).toEqual([
      1,
      -2,
      65504,
      2 ** -14,
      2 ** -24,
      0.333251953125,
      Infinity,
      -Infinity,
    ]);
  });

  it('survives conversion to float32 and back, for all 65536 values', () => {
    const back = float32ToFloat16(float16ToFloat32(allHalves));
    const isNaNBits = (bits: number) => (bits & 0x7fff) > 0x7c00;
    const changed = [...allHalves].filter((bits) => !isNaNBits(bits) && back[bits] !== bits);
    expect(changed).toEqual([]);
    expect([...allHalves].filter(isNaNBits).every((bits) => isNaNBits(back[bits]!))).toBe(true);
  });

  it('is the nearest one to every float32, ties to even', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true }), (value) => {
        expect(float32ToFloat16(Float32Array.of(value))[0]).toBe(nearestBits(value));
      }),
      { numRuns: 3000 },
    );
  });

  it('is the nearest one at and around every midpoint between two halves', () => {
    const midpoints = positive.slice(1).map((value, index) => (value + positive[index]!) / 2);
    const neighbours = midpoints.flatMap((value) => [value, value * (1 + 2 ** -23), -value * (1 - 2 ** -24)]);
    const values = Float32Array.from([...neighbours, 65519.996, 65520, 2 ** -25, 2 ** -26, 0, -0, Infinity]);
    const rounded = float32ToFloat16(values);
    const wrong = [...values].filter((value, index) => rounded[index] !== nearestBits(value));
    expect(wrong).toEqual([]);
  });
});

describe('bfloat16', () => {
  it('is the upper half of a float32', () => {
    // 0x4049 0000 is 3.140625, 0xff80 0000 minus infinity.
    expect([...bfloat16ToFloat32(Uint16Array.of(0x4049, 0xff80, 0x0000))]).toEqual([3.140625, -Infinity, 0]);
  });
});
