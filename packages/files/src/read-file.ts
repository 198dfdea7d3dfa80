/**
 * Files that people bring: a text's byte-order mark is dropped, and a Git LFS pointer in place of a file is refused by name, as a clone
 * without Git LFS leaves pointers of some 130 bytes where weights, tokenizers and pictures belong.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from '@emac/platform';
import { EmacError, messageOf } from '@emac/core';
import { whileReading } from './io-error.ts';

/** of a pointer, by Git LFS's specification */
const largestPointer = 1024;
const pointerStart = Buffer.from('version https://git-lfs.github.com/spec/v');

/** A file's text. Errors: those of `readBytes`. */
export function readText(path: string): string {
  return readBytes(path)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}

/** A file's JSON. Errors: those of `readBytes`; `data` for a file that is none. */
export function readJson(path: string): unknown {
  const text = readText(path);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new EmacError('data', `${path}: is not JSON: ${messageOf(thrown)}; it was damaged, put it back`, {
      cause: thrown,
    });
  }
}

/** A file's content. Errors: `missing`, `io`; `data` for a Git LFS pointer. */
export function readBytes(path: string): Buffer<ArrayBuffer> {
  const bytes = whileReading(path, () => readFileSync(path));
  if (bytes.byteLength <= largestPointer) refuseBeginning(path, bytes);
  return bytes;
}

/** Looks at a file's beginning if it is small enough for a pointer. Errors: as `readBytes`. */
export function refusePointer(path: string): void {
  whileReading(path, () => {
    const descriptor = openSync(path, 'r');
    try {
      refuseOpenPointer(path, descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}

/** The same of an open file. */
export function refuseOpenPointer(path: string, descriptor: number): void {
  if (fstatSync(descriptor).size > largestPointer) return;
  const bytes = Buffer.alloc(largestPointer);
  const length = readSync(descriptor, bytes, 0, largestPointer, 0);
  refuseBeginning(path, bytes.subarray(0, length));
}

function refuseBeginning(path: string, bytes: Buffer): void {
  if (!pointerStart.every((byte, place) => byte === bytes[place])) return;
  const [, size] = /^size (\d+)$/m.exec(bytes.toString('latin1')) ?? [];
  const of = size === undefined ? '' : ` to ${size} bytes`;
  throw new EmacError(
    'data',
    `${path}: is a Git LFS pointer${of}, not the file; fetch it (git lfs install, then git lfs pull in its clone)`,
  );
}
