/**
 * The part of protobuf's wire format that `tf.train.Example` needs. It is implemented here because there are only six tiny messages,
 * pictures should be views of the record, and 64-bit integers must stay exact.
 */
import { EmacError } from '@emac/core';

/** One field of a message: its number, and its bytes or its numeric value. */
export type WireField =
  | { readonly number: number; readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly number: number; readonly type: 'fixed32'; readonly bytes: Uint8Array }
  | { readonly number: number; readonly type: 'varint'; readonly low: number; readonly high: number }
  | { readonly number: number; readonly type: 'fixed64' };

/** The fields of a message, in order. Errors: `data` if it is invalid; `place` starts the message. */
export function fieldsOf(message: Uint8Array, place: string): WireField[] {
  const reader = new VarintReader(message, place);
  const fields: WireField[] = [];
  while (reader.at < message.length) fields.push(nextField(reader));
  return fields;
}

function nextField(reader: VarintReader): WireField {
  const key = reader.size();
  const number = Math.floor(key / 8);
  switch (key % 8) {
    case 0:
      reader.next();
      return { number, type: 'varint', low: reader.low, high: reader.high };
    case 1:
      reader.bytes(8);
      return { number, type: 'fixed64' };
    case 2:
      return { number, type: 'bytes', bytes: reader.bytes(reader.size()) };
    case 5:
      return { number, type: 'fixed32', bytes: reader.bytes(4) };
    default:
      throw reader.fault(`a field of wire type ${key % 8}`);
  }
}

/** Reads numbers of seven bits per byte, the lowest bits first. */
export class VarintReader {
  /** offset of the next byte */
  at = 0;
  /** the last number, as two signed halves of 32 bits */
  low = 0;
  high = 0;
  readonly #message: Uint8Array;
  readonly #place: string;

  constructor(message: Uint8Array, place: string) {
    this.#message = message;
    this.#place = place;
  }

  /** Reads a number into `low` and `high`. */
  next(): void {
    this.low = 0;
    this.high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#message[this.at++];
      if (byte === undefined) throw this.fault('its end within a number');
      const bits = byte & 0x7f;
      if (shift < 32) this.low |= bits << shift;
      // the fifth group of seven bits spans both halves
      if (shift === 28) this.high |= bits >>> 4;
      if (shift > 28) this.high |= bits << (shift - 32);
      if (byte < 0x80) return;
    }
    throw this.fault('a number of more than ten bytes');
  }

  /** A byte count, or a key. */
  size(): number {
    this.next();
    const size = (this.high >>> 0) * 2 ** 32 + (this.low >>> 0);
    if (size >= 2 ** 32) throw this.fault(`a size of ${size}`);
    return size;
  }

  /** A view of the next bytes. */
  bytes(count: number): Uint8Array {
    const end = this.at + count;
    if (end > this.#message.length)
      throw this.fault(`a field of ${count} bytes where ${this.#message.length - this.at} are left`);
    const bytes = this.#message.subarray(this.at, end);
    this.at = end;
    return bytes;
  }

  fault(found: string): EmacError {
    return new EmacError(
      'data',
      `${this.#place}: must be a tf.train.Example, it has ${found} at byte ${this.at}; these are other records, or the file is damaged`,
    );
  }
}

/** A field of bytes: key, length, bytes. */
export function bytesField(number: number, bytes: Uint8Array): Uint8Array {
  return joined([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

/** Concatenates parts into a new array. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A size or a key, below 2⁵³, in seven bits per byte. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  bytes.push(left);
  return Uint8Array.from(bytes);
}

/** 64-bit integers in sequence, negative ones as their two's complement: ten bytes. */
export function packedVarints(values: BigInt64Array): Uint8Array {
  const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const bytes = new Uint8Array(10 * values.length);
  let at = 0;
  for (let index = 0; index < halves.length; index += 2) {
    let low = halves[index]!;
    let high = halves[index + 1]!;
    while (high !== 0 || low >= 0x80) {
      bytes[at++] = (low & 0x7f) | 0x80;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    bytes[at++] = low;
  }
  return bytes.subarray(0, at);
}
