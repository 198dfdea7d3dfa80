/** Reading parts of a file that may be larger than memory. */
import { closeSync, fstatSync, openSync, readSync } from '@emac/platform';
import { EmacError } from '@emac/core';
import { whileLooking, whileReading } from './io-error.ts';
import { refuseOpenPointer } from './read-file.ts';

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** An open file; valid only inside `withReader`. */
export interface RangeReader {
  readonly path: string;
  /** size of the file in bytes */
  readonly size: number;
  /** Exactly these bytes, at the start of a new buffer; `data` if the file is shorter. */
  read(range: ByteRange): Uint8Array<ArrayBuffer>;
}

const bytesPerRead = 1 << 30;

/** Opens a file, uses it, and closes it. Errors: `missing`, `io`, `data` for a Git LFS pointer, and those of `use`. */
export function withReader<T>(path: string, use: (reader: RangeReader) => T): T {
  const descriptor = whileReading(path, () => openSync(path, 'r'));
  try {
    const size = whileLooking(path, () => {
      refuseOpenPointer(path, descriptor);
      return fstatSync(descriptor).size;
    });
    // what `use` does beside reading, such as writing a copy, fails in its own words
    return use({ path, size, read: (range) => whileLooking(path, () => readAt(descriptor, path, range)) });
  } finally {
    closeSync(descriptor);
  }
}

/** In pieces, because one read call moves less than 2 GiB. */
function readAt(descriptor: number, path: string, { offset, length }: ByteRange): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const wanted = Math.min(bytesPerRead, length - done);
    const got = readSync(descriptor, bytes, done, wanted, offset + done);
    if (got === 0) throw new EmacError('data', `${path}: ends at byte ${offset + done}; it was cut short`);
    done += got;
  }
  return bytes;
}
