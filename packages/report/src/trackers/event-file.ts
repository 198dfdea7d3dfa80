/**
 * TensorFlow's event files: records of protocol buffers (`tensorflow.Event`), each between checksums. Only the fields
 * for curves and texts are written: wall time, step, scalars, texts.
 */
import { maskedCrc32c } from '@emac/files';

/** A value at a step. */
export type Summary =
  { readonly tag: string; readonly scalar: number } | { readonly tag: string; readonly text: string };

export interface EventMoment {
  /** seconds since 1970 */
  readonly time: number;
  readonly step: number;
}

/** The record that a file begins with. */
export function firstRecord(time: number): Uint8Array {
  return record(message(field(1, double(time)), field(3, 'brain.Event:2')));
}

/** A record of values at one step. */
export function eventRecord({ time, step }: EventMoment, values: readonly Summary[]): Uint8Array {
  const summary = message(...values.map((value) => field(1, valueOf(value))));
  return record(message(field(1, double(time)), field(2, BigInt(step)), field(5, summary)));
}

/** `Summary.Value`: tag 1, simple_value 2, tensor 8, metadata 9. */
function valueOf(value: Summary): Uint8Array {
  if ('scalar' in value) return message(field(1, value.tag), field(2, float(value.scalar)));
  const tensor = message(field(1, stringType), field(8, value.text));
  const plugin = message(field(1, 'text'));
  return message(field(1, value.tag), field(8, tensor), field(9, message(field(1, plugin))));
}

/** `DT_STRING` */
const stringType = 7n;

/** Length, its checksum, the data, their checksum. */
function record(data: Uint8Array): Uint8Array {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(data.length));
  return Buffer.concat([length, checksum(length), data, checksum(data)]);
}

function checksum(bytes: Uint8Array): Uint8Array {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(maskedCrc32c(bytes));
  return buffer;
}

/** Little-endian numbers of a fixed width, by their wire type. */
class Fixed {
  constructor(
    readonly wireType: 1 | 5,
    readonly bytes: Uint8Array,
  ) {}
}

function double(value: number): Fixed {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return new Fixed(1, bytes);
}

function float(value: number): Fixed {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return new Fixed(5, bytes);
}

/** One field of a message: numbers, texts and messages. */
function field(number: number, value: Fixed | bigint | string | Uint8Array): Uint8Array {
  const key = (wireType: number) => varint(BigInt((number << 3) | wireType));
  if (value instanceof Fixed) return Buffer.concat([key(value.wireType), value.bytes]);
  if (typeof value === 'bigint') return Buffer.concat([key(0), varint(value)]);
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([key(2), varint(BigInt(bytes.length)), bytes]);
}

const message = (...fields: readonly Uint8Array[]): Uint8Array => Buffer.concat(fields);

/** Seven bits a byte, the lowest first; negative numbers as 64 bits. */
function varint(value: bigint): Uint8Array {
  let left = BigInt.asUintN(64, value);
  const bytes: number[] = [];
  do {
    const low = Number(left & 0x7fn);
    left >>= 7n;
    bytes.push(left > 0n ? low | 0x80 : low);
  } while (left > 0n);
  return Uint8Array.from(bytes);
}
