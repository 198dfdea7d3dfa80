/** Blocks written by hand, and those of `tools/reference/write_gguf.py`, bit by bit. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dequantize } from './dequantize.ts';
import { quantize } from './quantize.ts';
import type { TensorType } from './tensor-types.ts';

interface Blocks {
  readonly blocks: Readonly<Record<TensorType, { readonly bytes: string; readonly values: string }>>;
  readonly quantized: { readonly bytes: string; readonly values: string };
}

const { blocks, quantized } = JSON.parse(
  readFileSync(new URL('../../fixtures/blocks.json', import.meta.url), 'utf8'),
) as Blocks;

const decoded = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));
const floats = (base64: string) => new Float32Array(decoded(base64).buffer);
const bits = (values: Float32Array) => [...new Uint32Array(values.buffer, values.byteOffset, values.length)];

/** half-precision 0.5 and 2, little-endian */
const [half, two] = [
  [0x00, 0x38],
  [0x00, 0x40],
];

describe('dequantize', () => {
  it.each(Object.keys(blocks) as TensorType[])('gives the bits of the gguf package for %s', (type) => {
    const { bytes, values } = blocks[type];
    expect(bits(dequantize(type, decoded(bytes)))).toEqual(bits(floats(values)));
  });

  it('multiplies signed bytes by the scale (Q8_0)', () => {
    const values = dequantize('Q8_0', Uint8Array.from([...half, 1, 255, 128, ...Array(29).fill(0)]));
    expect([...values].slice(0, 4)).toEqual([0.5, -0.5, -64, 0]);
  });

  it('takes the first half of a block from low and the second from high four bits (Q4_0, Q4_1)', () => {
    const pairs = [0x1f, ...Array(15).fill(0x88)];
    // 15 − 8 = 7, 1 − 8 = −7; 8 − 8 = 0
    const symmetric = dequantize('Q4_0', Uint8Array.from([...half, ...pairs]));
    expect([symmetric[0], symmetric[1], symmetric[16], symmetric[17]]).toEqual([3.5, 0, -3.5, 0]);
    // 0.5 · 15 + 2, 0.5 · 1 + 2, 0.5 · 8 + 2
    const shifted = dequantize('Q4_1', Uint8Array.from([...half, ...two, ...pairs]));
    expect([shifted[0], shifted[16], shifted[31]]).toEqual([9.5, 2.5, 6]);
  });

  it('takes the fifth bit of value i from bit i of a word (Q5_0, Q5_1)', () => {
    // bits 0 and 31: (15 + 16) − 16, (0 + 16) − 16; without: 0 − 16
    const word = [0x01, 0x00, 0x00, 0x80];
    const pairs = [0x0f, ...Array(15).fill(0)];
    const symmetric = dequantize('Q5_0', Uint8Array.from([...half, ...word, ...pairs]));
    expect([symmetric[0], symmetric[1], symmetric[31]]).toEqual([7.5, -8, 0]);
    const shifted = dequantize('Q5_1', Uint8Array.from([...half, ...two, ...word, ...pairs]));
    expect([shifted[0], shifted[1], shifted[31]]).toEqual([17.5, 2, 10]);
  });

  it('takes scales of six bits from twelve bytes (Q4_K, Q5_K)', () => {
    const scales = Array<number>(12).fill(0);
    // group 1: scale 33, minimum 2; group 5: scale 5 + 2·16 = 37, minimum 3 + 16 = 19
    scales[1] = 33 | (2 << 6);
    scales[5] = 2 | (1 << 6);
    scales[9] = 5 | (3 << 4);
    const pairs = Array(128).fill(0x31);
    const four = dequantize('Q4_K', Uint8Array.from([...half, ...two, ...scales, ...pairs]));
    // 0.5 · 33 · 3 − 2 · 2, 0.5 · 37 · 3 − 2 · 19; group 0 has scale and minimum 0
    expect([four[0], four[32], four[5 * 32]]).toEqual([0, 45.5, 17.5]);
    const fifth = Array(32).fill(1 << 5);
    const five = dequantize('Q5_K', Uint8Array.from([...half, ...two, ...scales, ...fifth, ...pairs]));
    // 0.5 · 37 · (3 + 16) − 38
    expect([five[32], five[5 * 32]]).toEqual([45.5, 313.5]);
  });

  it('takes six bits of two places, with a signed scale for each sixteen (Q6_K)', () => {
    const low = Array<number>(128).fill(0);
    const high = Array<number>(64).fill(0);
    const scales = Array<number>(16).fill(1);
    // value 32 + 1: low bits 9 of byte 33, high bits 2 of byte 1; value 128 + 96: high four bits of byte 64 + 32
    low[33] = 9;
    high[1] = 2 << 2;
    low[64 + 32] = 15 << 4;
    high[32] = 3 << 6;
    scales[14] = 254;
    const values = dequantize('Q6_K', Uint8Array.from([...low, ...high, ...scales, ...half]));
    // 0.5 · (9 + 32 − 32), 0.5 · −2 · (15 + 48 − 32), 0.5 · −32
    expect([values[33], values[224], values[0]]).toEqual([4.5, -31, -16]);
  });
});

describe('quantize', () => {
  it('gives the bytes of the gguf package for Q8_0', () => {
    expect(quantize('Q8_0', floats(quantized.values), 'w')).toEqual(decoded(quantized.bytes));
  });

  it('rounds halves away from zero', () => {
    // d = 1: 0.5 becomes 1, −0.5 becomes −1, −2.5 becomes −3
    const values = Float32Array.from([127, 0.5, -0.5, -2.5, ...Array<number>(28).fill(0)]);
    expect([...quantize('Q8_0', values, 'w')].slice(0, 6)).toEqual([0x00, 0x3c, 127, 1, 255, 253]);
  });

  it('rejects a value that the type cannot hold, naming the tensor', () => {
    expect(() => quantize('F16', Float32Array.from([70_000]), 'model, norm')).toThrow(
      /^model, norm: every value must be finite and below 65520 to be stored as F16, got 70000/,
    );
    expect(() => quantize('Q8_0', new Float32Array(32).fill(NaN), 'w')).toThrow(/got NaN/);
  });
});
