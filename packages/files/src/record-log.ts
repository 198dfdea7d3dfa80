/**
 * Append-only binary records: four bytes of length (little endian), then the record. Anything torn by a kill lies
 * beyond a checkpoint's length and is cut off.
 */
import { EmacError } from '@emac/core';
import { openAppendFile, type AppendFile, type FilePart } from './append-file.ts';
import { withReader, type ByteRange } from './read-range.ts';

/** Opens or creates a log, truncated to `keep`. Errors: `cannot-create`, `io`, `data`. */
export function openRecordLog(path: string, keep: FilePart = { length: 0 }): AppendFile {
  const file = openAppendFile(path, keep);
  return {
    ...file,
    get length() {
      return file.length;
    },
    append(record) {
      const framed = new Uint8Array(prefixBytes + record.byteLength);
      new DataView(framed.buffer).setUint32(0, record.byteLength, true);
      framed.set(record, prefixBytes);
      file.append(framed);
    },
  };
}

/**
 * The records in the first `length` bytes of a log, each with its place for `readRecord`. Errors: `missing`; `data` if no
 * record ends there.
 */
export function readRecords(
  path: string,
  length: number,
  use: (record: Uint8Array<ArrayBuffer>, place: ByteRange) => void,
): void {
  withReader(path, ({ read }) => {
    for (let offset = 0; offset < length;) {
      const size = recordSize(path, { offset, length }, read);
      use(read({ offset: offset + prefixBytes, length: size }), { offset, length: prefixBytes + size });
      offset += prefixBytes + size;
    }
  });
}

/**
 * One record by its place, the range that the log grew by when it was appended. Errors: `missing`, `io`; `data` if no
 * such record lies there.
 */
export function readRecord(path: string, { offset, length }: ByteRange): Uint8Array<ArrayBuffer> {
  const framed = withReader(path, ({ read }) => read({ offset, length }));
  const size = length < prefixBytes ? NaN : new DataView(framed.buffer).getUint32(0, true);
  if (size !== length - prefixBytes)
    throw new EmacError(
      'data',
      `${path}: at byte ${offset} must be a record of ${length - prefixBytes} bytes, it is one of ${size}; it was damaged`,
    );
  return framed.subarray(prefixBytes);
}

const prefixBytes = 4;

function recordSize(
  path: string,
  { offset, length }: { readonly offset: number; readonly length: number },
  read: (range: { readonly offset: number; readonly length: number }) => Uint8Array<ArrayBuffer>,
): number {
  const left = length - offset - prefixBytes;
  const size =
    left < 0 ? Infinity : new DataView(read({ offset, length: prefixBytes }).buffer).getUint32(0, true);
  if (size > left)
    throw new EmacError('data', `${path}: the record at byte ${offset} is cut short; it was damaged`);
  return size;
}
