/**
 * Append-only binary records: four bytes of length (little endian), then the record. What a kill tore lies behind
 * the length that a checkpoint holds and is cut off.
 */
import { EmacError } from '@emac/core';
import { openAppendFile, type AppendFile, type FilePart } from './append-file.ts';
import { withReader } from './read-range.ts';

/** Opens or creates a log, cut back to `keep`. Errors: `cannot-create`, `io`, `data`. */
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

/** The records in the first `length` bytes of a log. Errors: `missing`; `data` where a record does not end there. */
export function readRecords(
  path: string,
  length: number,
  use: (record: Uint8Array<ArrayBuffer>) => void,
): void {
  withReader(path, ({ read }) => {
    for (let offset = 0; offset < length;) {
      const size = recordSize(path, { offset, length }, read);
      use(read({ offset: offset + prefixBytes, length: size }));
      offset += prefixBytes + size;
    }
  });
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
