/**
 * Reads TFRecord files: each record is its length (uint64), a masked CRC-32C of those eight bytes, the data and a masked CRC-32C of
 * them, all little-endian. A file is read in pieces, so it may exceed memory; both checksums of every record are checked.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { EmacError } from '@emac/core';
import { maskedCrc32c, requireOrdinary, whileReading } from '@emac/files';

export interface TfRecord {
  readonly data: Uint8Array;
  /** start of the record in the file, in bytes */
  readonly offset: number;
}

const headBytes = 12;
const tailBytes = 4;
const pieceBytes = 1 << 20;

/**
 * The records of a file, in order; a record may share memory with its neighbours, and is never overwritten. Errors: `missing`, `auth`,
 * `io`; `data` naming file, byte and rule for a damaged or truncated record.
 */
export async function* readTfRecords(path: string): AsyncGenerator<TfRecord, void, undefined> {
  const source = await openSource(path);
  try {
    for (let offset = 0; ;) {
      const head = await source.next(headBytes);
      if (head.length === 0) return;
      const place = `${path}: the record at byte ${offset}`;
      const length = lengthOf(head, place);
      if (length > source.left) throw cutOff(place, { length, there: source.left });
      const body = await source.next(length + tailBytes);
      if (body.length < length + tailBytes) throw cutOff(place, { length, there: body.length });
      const data = body.subarray(0, length);
      check(place, { name: 'data', data, stated: uint32(body, length) });
      yield { data, offset };
      offset += headBytes + length + tailBytes;
    }
  } finally {
    await source.close();
  }
}

/** Below 2⁵³: no file has a larger record, even with a valid checksum. */
function lengthOf(head: Uint8Array, place: string): number {
  if (head.length < headBytes)
    throw new EmacError(
      'data',
      `${place}: must begin with ${headBytes} bytes of length and checksum, the file ends after ${head.length}; it was cut off, download it again`,
    );
  check(place, { name: 'length', data: head.subarray(0, 8), stated: uint32(head, 8) });
  return uint32(head, 0) + uint32(head, 4) * 2 ** 32;
}

interface Checked {
  readonly name: 'length' | 'data';
  readonly data: Uint8Array;
  readonly stated: number;
}

function check(place: string, { name, data, stated }: Checked): void {
  const found = maskedCrc32c(data);
  if (found === stated) return;
  throw new EmacError(
    'data',
    `${place}: the checksum of its ${name} must be ${hex(found)}, got ${hex(stated)}; the file is damaged or not a TFRecord, download it again`,
  );
}

function cutOff(
  place: string,
  { length, there }: { readonly length: number; readonly there: number },
): EmacError {
  return new EmacError(
    'data',
    `${place}: must have ${length + tailBytes} bytes of data and checksum, the file ends after ${there}; it was cut off, download it again`,
  );
}

const hex = (checksum: number) => `0x${checksum.toString(16).padStart(8, '0')}`;

function uint32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

/** A file's bytes in order. */
interface Source {
  /** remaining bytes */
  readonly left: number;
  /** the next `count` bytes, or the rest of the file */
  next(count: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

async function openSource(path: string): Promise<Source> {
  requireOrdinary(path);
  const file = await reading(path, open(path, 'r'));
  let size: number;
  try {
    ({ size } = await reading(path, file.stat()));
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
  let ahead: Uint8Array = new Uint8Array(0);
  let position = 0;
  return {
    get left() {
      return ahead.length + Math.max(0, size - position);
    },
    async next(count) {
      if (ahead.length < count) {
        const piece = await filled(file, path, { ahead, position, wanted: Math.max(count, pieceBytes) });
        position += piece.length - ahead.length;
        ahead = piece;
      }
      const bytes = ahead.subarray(0, count);
      ahead = ahead.subarray(bytes.length);
      return bytes;
    },
    close: () => file.close(),
  };
}

/** The bytes already read, followed by the next bytes of the file. */
async function filled(
  file: FileHandle,
  path: string,
  {
    ahead,
    position,
    wanted,
  }: { readonly ahead: Uint8Array; readonly position: number; readonly wanted: number },
): Promise<Uint8Array> {
  const piece = new Uint8Array(wanted);
  piece.set(ahead);
  let done = ahead.length;
  while (done < wanted) {
    const at = position + done - ahead.length;
    const { bytesRead } = await reading(path, file.read(piece, done, wanted - done, at));
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return piece.subarray(0, done);
}

/** System errors as in `whileReading`. */
async function reading<T>(path: string, action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (thrown) {
    return whileReading(path, () => {
      throw thrown;
    });
  }
}
