/**
 * Super-blocks of 256 values (k-quants): groups of 32 with scales and minima of 6 bits, or groups of 16 with scales of 8.
 * Layouts: `block_q4_K`, `block_q5_K`, `block_q6_K` of ggml-common.h.
 */
import type { ReadBlock } from './tensor-types.ts';

const { fround } = Math;

/** d, dmin, 12 bytes of scales and minima, 128 bytes of two values each. */
export const dequantizeQ4K: ReadBlock = ({ bytes, half, at, out, to }) => {
  const [d, dmin] = [half(at), half(at + 2)];
  for (let group = 0; group < 8; group++) {
    const { scale, minimum } = scaleOf(bytes, at + 4, group);
    const [step, low] = [fround(d * scale), fround(dmin * minimum)];
    const from = at + 16 + (group >> 1) * 32;
    const shift = (group & 1) * 4;
    for (let each = 0; each < 32; each++)
      out[to + group * 32 + each] = fround(step * ((bytes[from + each]! >> shift) & 15)) - low;
  }
};

/** The same with a fifth bit: that of group g is bit g of 32 bytes. */
export const dequantizeQ5K: ReadBlock = ({ bytes, half, at, out, to }) => {
  const [d, dmin] = [half(at), half(at + 2)];
  for (let group = 0; group < 8; group++) {
    const { scale, minimum } = scaleOf(bytes, at + 4, group);
    const [step, low] = [fround(d * scale), fround(dmin * minimum)];
    const from = at + 48 + (group >> 1) * 32;
    const shift = (group & 1) * 4;
    for (let each = 0; each < 32; each++) {
      const fifth = (bytes[at + 16 + each]! >> group) & 1;
      const value = ((bytes[from + each]! >> shift) & 15) | (fifth << 4);
      out[to + group * 32 + each] = fround(step * value) - low;
    }
  }
};

/** 128 bytes of low four bits, 64 of high two bits, 16 signed scales, d; 128 values at a time. */
export const dequantizeQ6K: ReadBlock = ({ bytes, half, at, out, to }) => {
  const d = half(at + 208);
  for (let index = 0; index < 256; index++) {
    const [part, quarter, each] = [index >> 7, (index >> 5) & 3, index & 31];
    const low = bytes[at + part * 64 + (quarter & 1) * 32 + each]! >> ((quarter >> 1) * 4);
    const high = bytes[at + 128 + part * 32 + each]! >> (quarter * 2);
    const scale = (bytes[at + 192 + (index >> 4)]! << 24) >> 24;
    out[to + index] = fround(d * scale) * (((low & 15) | ((high & 3) << 4)) - 32);
  }
};

/** Groups 0 to 3 have their six bits in one byte; of groups 4 to 7 the high two stand above those. */
function scaleOf(bytes: Uint8Array, at: number, group: number): { scale: number; minimum: number } {
  if (group < 4) return { scale: bytes[at + group]! & 63, minimum: bytes[at + 4 + group]! & 63 };
  const low = bytes[at + 4 + group]!;
  return {
    scale: (low & 15) | ((bytes[at + group - 4]! >> 6) << 4),
    minimum: (low >> 4) | ((bytes[at + group]! >> 6) << 4),
  };
}
