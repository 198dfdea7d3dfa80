/**
 * Writes safetensors: equal tensors give equal bytes. Tensors are ordered by element size, largest first, then by name
 * (code units), like the format's own writer, which keeps every tensor aligned; a file of one dtype is ordered by name.
 * The header is padded with spaces to a multiple of 8.
 */
import { EmacError } from '@emac/core';
import { bytesPerElement, isDtype, tensorBytes } from './dtype.ts';
import type { Dtype } from './dtype.ts';

export interface TensorData {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** little-endian, row by row, as every typed array on the supported platforms */
  readonly data: ArrayBufferView;
}

/** The bytes of a whole file; `internal` if dtype, shape and data of a tensor disagree. */
export function encodeSafetensors(
  tensors: ReadonlyMap<string, TensorData>,
  metadata?: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer> {
  const ordered = [...tensors].sort(byAlignmentThenName);
  for (const [name, tensor] of ordered) checkTensor(name, tensor);
  const header = encodeHeader(ordered, metadata);
  const dataBytes = ordered.reduce((sum, [, { data }]) => sum + data.byteLength, 0);
  const file = new Uint8Array(8 + header.byteLength + dataBytes);
  new DataView(file.buffer).setBigUint64(0, BigInt(header.byteLength), true);
  file.set(header, 8);
  let offset = 8 + header.byteLength;
  for (const [, { data }] of ordered) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
    offset += data.byteLength;
  }
  return file;
}

/** Assembled as text because an object would move number-like names to the front. */
function encodeHeader(
  ordered: readonly (readonly [string, TensorData])[],
  metadata: Readonly<Record<string, string>> | undefined,
): Uint8Array {
  const parts: string[] = [];
  if (metadata) {
    const sorted = Object.entries(metadata).sort(([a], [b]) => compareText(a, b));
    parts.push(`"__metadata__":${JSON.stringify(Object.fromEntries(sorted))}`);
  }
  let begin = 0;
  for (const [name, { dtype, shape, data }] of ordered) {
    const end = begin + data.byteLength;
    parts.push(`${JSON.stringify(name)}:${JSON.stringify({ dtype, shape, data_offsets: [begin, end] })}`);
    begin = end;
  }
  const json = new TextEncoder().encode(`{${parts.join(',')}}`);
  const padded = new Uint8Array(Math.ceil(json.byteLength / 8) * 8).fill(0x20);
  padded.set(json);
  return padded;
}

function checkTensor(name: string, { dtype, shape, data }: TensorData): void {
  const expected = isDtype(dtype) ? tensorBytes(dtype, shape) : NaN;
  if (name === '__metadata__' || expected !== data.byteLength)
    throw new EmacError(
      'internal',
      `encodeSafetensors, tensor ${JSON.stringify(name)}: ${dtype} [${shape.join(', ')}] needs ${expected} bytes, got ${data.byteLength}`,
    );
}

/** The same for float32 tensors, by name. */
export function encodeFloats(
  tensors: Iterable<readonly [string, { readonly shape: readonly number[]; readonly data: Float32Array }]>,
  metadata?: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer> {
  const typed = [...tensors].map(([name, { shape, data }]): [string, TensorData] => [
    name,
    { dtype: 'F32', shape, data },
  ]);
  return encodeSafetensors(new Map(typed), metadata);
}

function byAlignmentThenName(a: readonly [string, TensorData], b: readonly [string, TensorData]): number {
  return bytesPerElement(b[1].dtype) - bytesPerElement(a[1].dtype) || compareText(a[0], b[0]);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
