/**
 * Validates a MessagePack message (github.com/msgpack/msgpack, spec.md) without building it: every declared length must
 * fit the bytes, nesting is bounded, keys are texts, and only these extensions pass: typed arrays (msgpackr's 0x74),
 * undefined (0), big integers (0x42). Cost is linear, so hostile input is rejected quickly.
 */
import { EmacError } from '@emac/core';

const maximumDepth = 100;
const maximumBytes = 1 << 30;
/** bytes per element of msgpackr's typed array codes 0–10, see `typedArrays` in its source */
const elementBytes = [1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8];
/** msgpackr would rename this key silently */
const prototypeKey = Buffer.from('__proto__');

interface Cursor {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at: number;
}

/** The number of values that a token announces (in a map, every other one is a key). */
interface Container {
  left: number;
  readonly map: boolean;
}

/** Throws `data` unless `bytes` are exactly one message as written by `pack`. */
export function checkMessage(bytes: Uint8Array): void {
  if (bytes.byteLength > maximumBytes) throw refused(0, `a message may have at most ${maximumBytes} bytes`);
  const cursor = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), at: 0 };
  const open: Container[] = [{ left: 1, map: false }];
  while (open.length > 0) {
    const container = open.at(-1)!;
    if (container.left === 0) {
      open.pop();
      continue;
    }
    if (container.map && container.left % 2 === 0) checkKey(cursor);
    container.left--;
    const inner = readToken(cursor);
    if (inner && open.push(inner) > maximumDepth)
      throw refused(cursor.at, `nesting is deeper than ${maximumDepth}`);
  }
  if (cursor.at !== bytes.byteLength)
    throw refused(cursor.at, `${bytes.byteLength - cursor.at} bytes follow the message`);
}

/** Skips one token and its payload; returns a container if values follow. */
function readToken(cursor: Cursor): Container | undefined {
  const token = count(cursor, 1);
  if (token < 0x80 || token >= 0xe0) return;
  if (token < 0x90) return container(cursor, { values: (token & 0x0f) * 2, map: true });
  if (token < 0xa0) return container(cursor, { values: token & 0x0f, map: false });
  if (token < 0xc0) return skip(cursor, token & 0x1f);
  if (token === 0xc0 || token === 0xc2 || token === 0xc3) return;
  if (token >= 0xc4 && token <= 0xc6) return skip(cursor, count(cursor, 1 << (token - 0xc4)));
  if (token >= 0xc7 && token <= 0xc9) return skipExtension(cursor, count(cursor, 1 << (token - 0xc7)));
  if (token === 0xca) return skip(cursor, 4);
  if (token === 0xcb) return skip(cursor, 8);
  if (token >= 0xcc && token <= 0xd3) return skip(cursor, 1 << (token & 3));
  if (token >= 0xd4 && token <= 0xd8) return skipExtension(cursor, 1 << (token - 0xd4));
  if (token >= 0xd9 && token <= 0xdb) return skip(cursor, count(cursor, 1 << (token - 0xd9)));
  if (token === 0xdc || token === 0xdd)
    return container(cursor, { values: count(cursor, 2 << (token - 0xdc)), map: false });
  if (token === 0xde || token === 0xdf)
    return container(cursor, { values: count(cursor, 2 << (token - 0xde)) * 2, map: true });
  throw refused(cursor.at - 1, `token 0x${token.toString(16)} is not used`);
}

/** An unsigned big-endian number of 1, 2 or 4 bytes. */
function count(cursor: Cursor, size: number): number {
  const at = cursor.at;
  skip(cursor, size);
  if (size === 1) return cursor.view.getUint8(at);
  return size === 2 ? cursor.view.getUint16(at) : cursor.view.getUint32(at);
}

function skip(cursor: Cursor, length: number): undefined {
  if (cursor.at + length > cursor.bytes.byteLength)
    throw refused(
      cursor.at,
      `${length} bytes are announced, ${cursor.bytes.byteLength - cursor.at} are there`,
    );
  cursor.at += length;
}

function container(cursor: Cursor, { values, map }: { values: number; map: boolean }): Container {
  if (values > cursor.bytes.byteLength - cursor.at)
    throw refused(cursor.at, `${values} values are announced, the rest is shorter`);
  return { left: values, map };
}

function skipExtension(cursor: Cursor, length: number): undefined {
  const type = count(cursor, 1);
  const payload = cursor.at;
  skip(cursor, length);
  if (type === 0 && length === 1) return;
  if (type === 0x42 && length > 0) return;
  if (type === 0x74 && length > 0) {
    const size = elementBytes[cursor.bytes[payload]!];
    if (size && (length - 1) % size === 0) return;
    throw refused(payload, `typed array code ${cursor.bytes[payload]} with ${length - 1} bytes is not known`);
  }
  throw refused(payload, `extension ${type} of ${length} bytes is not allowed`);
}

function checkKey(cursor: Cursor): void {
  const token = cursor.bytes[cursor.at] ?? 0;
  const isShort = token >= 0xa0 && token < 0xc0;
  if (!isShort && (token < 0xd9 || token > 0xdb)) throw refused(cursor.at, 'a key must be a text');
  const probe = { ...cursor };
  readToken(probe);
  const text = cursor.at + (isShort ? 1 : 1 + (1 << (token - 0xd9)));
  const isPrototype =
    probe.at - text === 9 && Buffer.from(cursor.bytes.subarray(text, probe.at)).equals(prototypeKey);
  if (isPrototype) throw refused(cursor.at, 'the key __proto__ is not allowed');
}

function refused(at: number, rule: string): EmacError {
  return new EmacError('data', `unpack, byte ${at}: ${rule}`);
}
