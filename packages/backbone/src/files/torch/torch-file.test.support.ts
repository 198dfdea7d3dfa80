/** Writes files as `torch.save` does, valid or not: an archive of stored entries with a pickle of protocol 2. */
import { closeSync, openSync, writeSync } from 'node:fs';

import type { Dtype, TensorBytes } from '@emac/files';

export interface PickledTensor {
  readonly name: string;
  /** `FloatStorage`, `HalfStorage` … */
  readonly storage: string;
  /** entry `data/<key>` */
  readonly key: string;
  readonly elements: number;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
  /** the function called to make it, default torch's `_rebuild_tensor_v2`; module and name on two lines */
  readonly rebuild?: string;
}

export interface ZipContent {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly method?: number;
  readonly flags?: number;
}

/** Where the entries begin in a sparse file, with ZIP64 records. */
export interface Sparse {
  readonly path: string;
  readonly offset: number;
}

/** A file `{"model": {…tensors}}`; `data` by storage key. With `sparse`, it is written there. */
export function torchFile(
  tensors: readonly PickledTensor[],
  data: Readonly<Record<string, Uint8Array>>,
  options: { byteorder?: string; sparse?: Sparse } = {},
): Uint8Array {
  const entries = [
    { name: 'case/data.pkl', bytes: pickle(tensors) },
    { name: 'case/byteorder', bytes: Buffer.from(options.byteorder ?? 'little') },
    ...Object.entries(data).map(([key, bytes]) => ({ name: `case/data/${key}`, bytes })),
  ];
  return zipArchive(entries, options.sparse);
}

function pickle(tensors: readonly PickledTensor[]): Buffer {
  const items = tensors.map(({ name, rebuild, ...tensor }) => {
    const { storage, key, elements, offset, shape, stride } = tensor;
    const id = [
      '(',
      text('storage'),
      global(`torch\n${storage}`),
      text(key),
      text('cpu'),
      integer(elements),
      't',
    ];
    const call = ['(', ...id, 'Q', integer(offset), tuple(shape), tuple(stride), '\x89', '}', 't', 'R'];
    return [text(name), global(rebuild ?? 'torch._utils\n_rebuild_tensor_v2'), ...call];
  });
  const parts = ['\x80\x02', '}', text('model'), '}', '(', ...items.flat(), 'u', 's', '.'];
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([Buffer.from('X'), length, bytes]);
}

function global(name: string): Buffer {
  return Buffer.from(`c${name}\n`);
}

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(10);
  bytes.writeUInt8(0x8a, 0);
  bytes.writeUInt8(8, 1);
  bytes.writeBigInt64LE(BigInt(value), 2);
  return bytes;
}

function tuple(values: readonly number[]): Buffer {
  return Buffer.concat([Buffer.from('('), ...values.map(integer), Buffer.from('t')]);
}

/** An archive of stored entries; offsets in a sparse file only fit ZIP64's fields. */
export function zipArchive(entries: readonly ZipContent[], sparse?: Sparse): Uint8Array {
  const base = sparse?.offset ?? 0;
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let at = base;
  for (const entry of entries) {
    const local = Buffer.concat([header(0x04034b50, entry, { offset: 0, large: false }), entry.bytes]);
    central.push(header(0x02014b50, entry, { offset: at, large: sparse !== undefined }));
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(central);
  const end = endRecords(
    { count: entries.length, length: directory.length, offset: at },
    sparse !== undefined,
  );
  const bytes = Buffer.concat([...parts, directory, end]);
  if (sparse) writeSparse(sparse, bytes);
  return bytes;
}

function writeSparse({ path, offset }: Sparse, bytes: Buffer): void {
  const descriptor = openSync(path, 'w');
  writeSync(descriptor, Buffer.from('PK\x03\x04'), 0, 4, 0);
  writeSync(descriptor, bytes, 0, bytes.length, offset);
  closeSync(descriptor);
}

/** A local or central header, by its signature. */
function header(
  signature: number,
  { name, bytes, method = 0, flags = 0 }: ZipContent,
  { offset, large }: { offset: number; large: boolean },
): Buffer {
  const isCentral = signature === 0x02014b50;
  const fixed = Buffer.alloc(isCentral ? 46 : 30);
  const start = isCentral ? 6 : 4;
  fixed.writeUInt32LE(signature, 0);
  fixed.writeUInt16LE(flags, start + 2);
  fixed.writeUInt16LE(method, start + 4);
  for (const field of [14, 18]) fixed.writeUInt32LE(large ? 0xffffffff : bytes.length, start + field);
  fixed.writeUInt16LE(Buffer.byteLength(name), start + 22);
  const extra = large ? zip64Field([bytes.length, bytes.length, offset]) : Buffer.alloc(0);
  fixed.writeUInt16LE(extra.length, start + 24);
  if (isCentral) fixed.writeUInt32LE(large ? 0xffffffff : offset, 42);
  return Buffer.concat([fixed, Buffer.from(name), extra]);
}

function zip64Field(values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8 * values.length, 2);
  values.forEach((value, index) => field.writeBigUInt64LE(BigInt(value), 4 + 8 * index));
  return field;
}

function endRecords(
  { count, length, offset }: { count: number; length: number; offset: number },
  large: boolean,
): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  for (const field of [8, 10]) end.writeUInt16LE(large ? 0xffff : count, field);
  end.writeUInt32LE(large ? 0xffffffff : length, 12);
  end.writeUInt32LE(large ? 0xffffffff : offset, 16);
  if (!large) return end;
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  for (const field of [24, 32]) record.writeBigUInt64LE(BigInt(count), field);
  record.writeBigUInt64LE(BigInt(length), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + length), 8);
  return Buffer.concat([record, locator, end]);
}

const storageTypes: Partial<Record<Dtype, string>> = {
  F32: 'FloatStorage',
  F16: 'HalfStorage',
  BF16: 'BFloat16Storage',
  I64: 'LongStorage',
};

/** A file of these tensors, each in its own storage. */
export function torchFileOf(tensors: ReadonlyMap<string, TensorBytes>): Uint8Array {
  const entries = [...tensors].map(([name, { dtype, shape, data }], index) => {
    const elements = shape.reduce((product, size) => product * size, 1);
    const stride = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1));
    const key = String(index);
    return { name, storage: storageTypes[dtype]!, key, elements, offset: 0, shape, stride, data };
  });
  return torchFile(entries, Object.fromEntries(entries.map(({ key, data }) => [key, data])));
}
