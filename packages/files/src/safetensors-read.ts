/**
 * Reads safetensors: the header on opening, single tensors on request. The file is never kept open or read whole, so a
 * 14 GB model costs only what is used.
 */
import { EmacError } from '@emac/core';
import type { Dtype } from './dtype.ts';
import { bfloat16ToFloat32, float16ToFloat32 } from './float16.ts';
import { withReader } from './read-range.ts';
import { headerLength, parseHeader } from './safetensors-header.ts';
import type { SafetensorsHeader, TensorInfo } from './safetensors-header.ts';

export interface SafetensorsFile extends SafetensorsHeader {
  readonly path: string;
}

/** Bytes of one tensor, little-endian, row by row; `data` begins at the start of its own buffer. */
export interface TensorBytes {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly data: Uint8Array<ArrayBuffer>;
}

/** Reads and checks a file's header only; `missing` if it does not exist, `data` (file and tensor) if damaged. */
export function openSafetensors(path: string): SafetensorsFile {
  return withReader(path, ({ size: fileBytes, read }) => {
    const prefix = read({ offset: 0, length: Math.min(8, fileBytes) });
    const length = headerLength(path, prefix, fileBytes);
    const json = read({ offset: 8, length });
    return { path, ...parseHeader(json, { path, fileBytes }) };
  });
}

/** One tensor's bytes as stored; `data` if the file has no such tensor or has shrunk since it was opened. */
export function readTensor(file: SafetensorsFile, name: string): TensorBytes {
  const { dtype, shape, offset, length } = infoOf(file, name);
  const data = withReader(file.path, ({ read }) => read({ offset, length }));
  return { dtype, shape, data };
}

/** One F32, F16 or BF16 tensor as float32, flat, row by row; every value is exact. Other dtypes: `data`. */
export function readFloat32(file: SafetensorsFile, name: string): Float32Array<ArrayBuffer> {
  const { dtype, data } = readTensor(file, name);
  if (dtype === 'F32') return new Float32Array(data.buffer);
  if (dtype === 'F16') return float16ToFloat32(new Uint16Array(data.buffer));
  if (dtype === 'BF16') return bfloat16ToFloat32(new Uint16Array(data.buffer));
  throw wrongDtype(file, name, { dtype, wanted: 'F32, F16 or BF16' });
}

/** One I64 tensor, flat, row by row. Other dtypes: `data`. */
export function readInt64(file: SafetensorsFile, name: string): BigInt64Array<ArrayBuffer> {
  const { dtype, data } = readTensor(file, name);
  if (dtype !== 'I64') throw wrongDtype(file, name, { dtype, wanted: 'I64' });
  return new BigInt64Array(data.buffer);
}

function infoOf(file: SafetensorsFile, name: string): TensorInfo {
  const info = file.tensors.get(name);
  if (info) return info;
  const first = [...file.tensors.keys()].slice(0, 5).join(', ');
  throw new EmacError(
    'data',
    `${file.path}: has no tensor ${JSON.stringify(name)}; its ${file.tensors.size} tensors begin with ${first}`,
  );
}

function wrongDtype(file: SafetensorsFile, name: string, found: { dtype: Dtype; wanted: string }): EmacError {
  return new EmacError('data', `${file.path}, tensor ${name}: needs ${found.wanted}, is ${found.dtype}`);
}
