/**
 * Blocks as float32, bit by bit what `gguf.quants.dequantize` of the `gguf` package gives (0.19.0): every product and sum is
 * rounded to float32. Layouts: ggml-common.h. d is a block's scale and m its minimum, both in half precision.
 */
import { bfloat16ToFloat32, float16ToFloat32 } from '@emac/files';

import { dequantizeQ4K, dequantizeQ5K, dequantizeQ6K } from './super-blocks.ts';
import { tensorTypes, type Half, type ReadBlock, type TensorType } from './tensor-types.ts';

/** The values of whole blocks; `bytes` begins at the start of its own buffer. */
export function dequantize(type: TensorType, bytes: Uint8Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  if (type === 'F32') return new Float32Array(bytes.buffer);
  if (type === 'F16') return float16ToFloat32(new Uint16Array(bytes.buffer));
  if (type === 'BF16') return bfloat16ToFloat32(new Uint16Array(bytes.buffer));
  const { values, bytes: size } = tensorTypes[type];
  const blocks = bytes.length / size;
  const out = new Float32Array(blocks * values);
  const halves = halfTable();
  const half: Half = (at) => halves[bytes[at]! | (bytes[at + 1]! << 8)]!;
  const read = readers[type];
  for (let block = 0; block < blocks; block++)
    read({ bytes, half, at: block * size, out, to: block * values });
  return out;
}

let table: Float32Array | undefined;

function halfTable(): Float32Array {
  return (table ??= float16ToFloat32(Uint16Array.from({ length: 65536 }, (_, bits) => bits)));
}

const { fround } = Math;

const readers: Readonly<Record<Exclude<TensorType, 'F32' | 'F16' | 'BF16'>, ReadBlock>> = {
  Q8_0: ({ bytes, half, at, out, to }) => {
    const d = half(at);
    for (let each = 0; each < 32; each++) out[to + each] = d * ((bytes[at + 2 + each]! << 24) >> 24);
  },
  // the low four bits of 16 bytes are the first 16 values, the high four bits the others
  Q4_0: ({ bytes, half, at, out, to }) => {
    const d = half(at);
    for (let each = 0; each < 16; each++) {
      const pair = bytes[at + 2 + each]!;
      out[to + each] = d * ((pair & 15) - 8);
      out[to + each + 16] = d * ((pair >> 4) - 8);
    }
  },
  Q4_1: ({ bytes, half, at, out, to }) => {
    const [d, m] = [half(at), half(at + 2)];
    for (let each = 0; each < 16; each++) {
      const pair = bytes[at + 4 + each]!;
      out[to + each] = fround(d * (pair & 15)) + m;
      out[to + each + 16] = fround(d * (pair >> 4)) + m;
    }
  },
  // the fifth bit of value i is bit i of a word of 32 bits
  Q5_0: ({ bytes, half, at, out, to }) => {
    const [d, fifth] = [half(at), word(bytes, at + 2)];
    for (let each = 0; each < 16; each++) {
      const pair = bytes[at + 6 + each]!;
      out[to + each] = d * (((pair & 15) | (((fifth >>> each) & 1) << 4)) - 16);
      out[to + each + 16] = d * (((pair >> 4) | (((fifth >>> (each + 16)) & 1) << 4)) - 16);
    }
  },
  Q5_1: ({ bytes, half, at, out, to }) => {
    const [d, m, fifth] = [half(at), half(at + 2), word(bytes, at + 4)];
    for (let each = 0; each < 16; each++) {
      const pair = bytes[at + 8 + each]!;
      out[to + each] = fround(d * ((pair & 15) | (((fifth >>> each) & 1) << 4))) + m;
      out[to + each + 16] = fround(d * ((pair >> 4) | (((fifth >>> (each + 16)) & 1) << 4))) + m;
    }
  },
  Q4_K: dequantizeQ4K,
  Q5_K: dequantizeQ5K,
  Q6_K: dequantizeQ6K,
};

function word(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}
