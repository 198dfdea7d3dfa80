/**
 * A file of float32 tensors as `torch.save` writes it (torch 1.6 and later): a zip archive of stored entries. Its `data.pkl` is a pickle of
 * protocol 2 that maps every tensor to its block of numbers. Blocks begin at multiples of 64 bytes, as torch aligns them for mapping.
 */
import { Buffer, crc32 } from '@emac/platform';
import { EmacError, type ParameterSet } from '@emac/core';

/** The folder of all entries; torch names it after the file. */
const root = 'archive';
const alignment = 64;

/** `{"model": {name: tensor}, …numbers}`; torch reads the tensors with `weights_only`. Errors: `data` for more than 4 GiB. */
export function encodeTorchFile(
  model: ParameterSet,
  numbers: Readonly<Record<string, number>> = {},
): Uint8Array {
  const blocks = [...model.values()].map(({ data }, key) => {
    return { name: `data/${key}`, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
  });
  return zipped([
    { name: 'data.pkl', bytes: pickled(model, numbers) },
    { name: 'byteorder', bytes: Buffer.from('little') },
    ...blocks,
    { name: 'version', bytes: Buffer.from('3\n') },
  ]);
}

function pickled(model: ParameterSet, numbers: Readonly<Record<string, number>>): Uint8Array {
  const tensors = [...model].flatMap(([name, { shape }], key) => [text(name), tensor(shape, key)]);
  const others = Object.entries(numbers).flatMap(([name, value]) => [text(name), integer(value)]);
  const parts = ['\x80\x02', '}(', text('model'), '}(', ...tensors, 'u', ...others, 'u.'];
  return Buffer.concat(parts.map(latin));
}

/** The tensor's record: its block, its offset there, its shape and strides, no gradient and no hooks. */
function tensor(shape: readonly number[], key: number): Uint8Array {
  const elements = shape.reduce((product, size) => product * size, 1);
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1));
  const block = ['(', text('storage'), global('torch FloatStorage'), text(String(key)), text('cpu')];
  const hooks = [global('collections OrderedDict'), ')R'];
  const parts = [
    ...[global('torch._utils _rebuild_tensor_v2'), '(', ...block, integer(elements), 'tQ'],
    ...[integer(0), tuple(shape), tuple(strides), '\x89', ...hooks, 'tR'],
  ];
  return Buffer.concat(parts.map(latin));
}

const latin = (part: string | Uint8Array): Uint8Array =>
  typeof part === 'string' ? Buffer.from(part, 'latin1') : part;

function text(value: string): Uint8Array {
  const bytes = Buffer.from(value);
  const head = Buffer.alloc(5);
  head.write('X');
  head.writeUInt32LE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

function global(name: string): Uint8Array {
  return Buffer.from(`c${name.replace(' ', '\n')}\n`);
}

/** Four bytes if they are enough, else eight. */
function integer(value: number): Uint8Array {
  const isShort = value === (value | 0);
  const bytes = Buffer.alloc(isShort ? 5 : 10);
  if (isShort) {
    bytes.write('J');
    bytes.writeInt32LE(value, 1);
  } else {
    bytes.writeUInt16BE(0x8a08);
    bytes.writeBigInt64LE(BigInt(value), 2);
  }
  return bytes;
}

function tuple(values: readonly number[]): Uint8Array {
  return Buffer.concat(['(', ...values.map(integer), 't'].map(latin));
}

interface Entry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

function zipped(entries: readonly Entry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const entry of entries) {
    const local = localHeader(entry, at);
    directory.push(centralHeader(entry, at));
    parts.push(local, entry.bytes);
    at += local.length + entry.bytes.length;
  }
  const listed = Buffer.concat(directory);
  if (at + listed.length >= 0xffff_ffff)
    throw new EmacError('data', `torch file: may have 4 GiB, has ${at + listed.length} bytes`);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  for (const field of [8, 10]) end.writeUInt16LE(entries.length, field);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}

/** Padded by its own extra field, so that the content is aligned. */
function localHeader(entry: Entry, at: number): Uint8Array {
  const name = Buffer.from(`${root}/${entry.name}`);
  const fixed = Buffer.alloc(30);
  const unpadded = at + fixed.length + name.length + 4;
  const padding = (alignment - (unpadded % alignment)) % alignment;
  const extra = Buffer.alloc(4 + padding);
  extra.write('FB');
  extra.writeUInt16LE(padding, 2);
  fixed.writeUInt32LE(0x04034b50, 0);
  describe(fixed, { entry, name, start: 4 });
  fixed.writeUInt16LE(extra.length, 28);
  return Buffer.concat([fixed, name, extra]);
}

function centralHeader(entry: Entry, at: number): Uint8Array {
  const name = Buffer.from(`${root}/${entry.name}`);
  const fixed = Buffer.alloc(46);
  fixed.writeUInt32LE(0x02014b50, 0);
  describe(fixed, { entry, name, start: 6 });
  fixed.writeUInt32LE(at, 42);
  return Buffer.concat([fixed, name]);
}

/** The fields of both headers: UTF-8 name, stored method, checksum and size. */
function describe(
  header: Buffer,
  { entry, name, start }: { readonly entry: Entry; readonly name: Buffer; readonly start: number },
): void {
  header.writeUInt16LE(0x0800, start + 2);
  header.writeUInt32LE(crc32(entry.bytes), start + 10);
  for (const field of [14, 18]) header.writeUInt32LE(entry.bytes.length, start + field);
  header.writeUInt16LE(name.length, start + 22);
}
