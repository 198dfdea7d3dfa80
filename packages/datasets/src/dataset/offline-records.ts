/**
 * The records of a JSON list, or of lines with a JSON object each (JSONL), of any length: the file is read once in pieces, and only a mark about every
 * 64 KiB is kept, whatever a record's size. A record is found again by reading from the mark before it.
 */
import { createHash } from 'node:crypto';
import { EmacError, messageOf } from '@emac/core';
import { withReader, type ByteRange, type RangeReader } from '@emac/files';

export interface Records {
  /** of the whole file, hex */
  readonly sha256: string;
  readonly count: number;
  readonly marks: readonly Mark[];
}

/** The place of a record from which those up to the next mark are found. */
interface Mark {
  /** number of the record that begins here */
  readonly record: number;
  readonly offset: number;
  /** bytes up to the end of the last record before the next mark */
  length: number;
}

const markBytes = 64 << 10;
const pieceBytes = 4 << 20;
const largestRecord = 64 << 20;
const [openList, closeList, openRecord, closeRecord] = Buffer.from('[]{}') as unknown as [
  number,
  number,
  number,
  number,
];
const [quote, backslash, comma] = Buffer.from('"\\,');
const blanks = new Set(Buffer.from(' \n\r\t'));

/** Finds and parses every record, in order. Errors: `missing`, `io`, `data` naming file and record. */
export function scanRecords(path: string, use: (record: unknown, index: number) => void): Records {
  return withReader(path, (reader) => {
    const marks: Mark[] = [];
    let count = 0;
    const hash = createHash('sha256');
    for (const { offset, bytes } of recordBytes(reader, (piece) => hash.update(piece))) {
      mark(marks, count, { offset, length: bytes.byteLength });
      use(parsed(bytes, path, count), count++);
    }
    return { sha256: hash.digest('hex'), count, marks };
  });
}

/** A record larger than a mark's bytes has a mark of its own. */
function mark(marks: Mark[], record: number, { offset, length }: ByteRange): void {
  const last = marks.at(-1);
  const reached = last && offset + length - last.offset;
  if (last && reached! <= markBytes) last.length = reached!;
  else marks.push({ record, offset, length });
}

/** Reads records found earlier, by their numbers. Errors: `data` if the file has changed. */
export function recordsAt(
  reader: Pick<RangeReader, 'path' | 'read'>,
  marks: Records['marks'],
): (number: number) => unknown {
  const { path } = reader;
  let held: { readonly from: Mark; readonly pieces: readonly Uint8Array[] } | null = null;
  return (number) => {
    const from = marks[lastAtMost(number, marks)]!;
    if (held?.from !== from) held = { from, pieces: piecesOf(reader.read(from)) };
    const piece = held.pieces[number - from.record];
    if (!piece) throw new EmacError('data', `${path}: was changed while in use`);
    return parsed(piece, path, number);
  };
}

/** The objects in bytes that hold nothing else but what stands between them. */
function piecesOf(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let place = 0; (place = bytes.indexOf(openRecord, place)) !== -1;) {
    const length = recordLength(bytes.subarray(place));
    if (length === null) break;
    pieces.push(bytes.subarray(place, place + length));
    place += length;
  }
  return pieces;
}

function lastAtMost(number: number, marks: Records['marks']): number {
  let [low, high] = [0, marks.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (marks[middle]!.record <= number) low = middle;
    else high = middle - 1;
  }
  return low;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function parsed(bytes: Uint8Array, path: string, index: number): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (thrown) {
    throw new EmacError('data', `${path}: record ${index} is not JSON: ${messageOf(thrown)}`);
  }
}

interface Found {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** The bytes of each record; `look` receives every byte of the file once. */
function* recordBytes(reader: RangeReader, look: (piece: Uint8Array) => void): Generator<Found> {
  const { path, size, read } = reader;
  let held = new Uint8Array(0);
  let [start, number, expected] = [0, 0, 'list' as Expected];
  for (let next = 0; next < size;) {
    const piece = read({ offset: next, length: Math.min(pieceBytes, size - next) });
    look(piece);
    next += piece.byteLength;
    held = joined(held, piece);
    let place = start === 0 && startsWithMark(held) ? orderMark.byteLength : 0;
    for (;;) {
      const fail = (rule: string) =>
        new EmacError(
          'data',
          `${path}: must be a JSON list of objects, or a JSON object a line; ${rule}, at byte ${start + place}`,
        );
      while (place < held.byteLength && blanks.has(held[place]!)) place++;
      if (place === held.byteLength) break;
      const byte = held[place]!;
      if (byte === openRecord && expected === 'list') expected = 'object';
      if (
        byte === openRecord &&
        (expected === 'object' || expected === 'record' || expected === 'record or end')
      ) {
        const length = recordLength(held.subarray(place));
        if (length === null && held.byteLength - place > largestRecord)
          throw fail(`record ${number} has more than ${largestRecord} bytes`);
        if (length === null) break;
        yield { offset: start + place, bytes: held.subarray(place, place + length) };
        number++;
        place += length;
        if (expected !== 'object') expected = 'comma or end';
      } else {
        const following = after(expected, byte);
        if (following === null) throw fail(`${expected} expected after ${number} records`);
        expected = following;
        place++;
      }
    }
    start += place;
    held = held.slice(place);
  }
  // lines may end anywhere, but not inside one
  const isWhole = expected === 'object' ? held.every((byte) => blanks.has(byte)) : expected === 'nothing';
  if (!isWhole)
    throw new EmacError(
      'data',
      `${path}: must be a JSON list of objects, or a JSON object a line; it ends after ${number} records, it was cut short`,
    );
}

type Expected = 'object' | 'list' | 'record or end' | 'record' | 'comma or end' | 'nothing';

/** The expected token after a byte outside records; null if that byte is not allowed. */
function after(expected: Expected, byte: number): Expected | null {
  if (expected === 'list') return byte === openList ? 'record or end' : null;
  if (expected === 'comma or end' && byte === comma) return 'record';
  if (expected === 'comma or end' || expected === 'record or end')
    return byte === closeList ? 'nothing' : null;
  return null;
}

/** a byte-order mark, as some editors begin a file */
const orderMark = Buffer.from('\ufeff');

function startsWithMark(bytes: Uint8Array): boolean {
  return orderMark.every((byte, place) => byte === bytes[place]);
}

/** Length of the object that begins here; null if its end is not yet read. */
function recordLength(bytes: Uint8Array): number | null {
  let depth = 0;
  let isText = false;
  for (let place = 0; place < bytes.byteLength; place++) {
    const byte = bytes[place];
    if (isText) {
      if (byte === backslash) place++;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === openRecord) depth++;
    else if (byte === closeRecord && --depth === 0) return place + 1;
  }
  return null;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.byteLength + other.byteLength);
  both.set(one);
  both.set(other, one.byteLength);
  return both;
}
