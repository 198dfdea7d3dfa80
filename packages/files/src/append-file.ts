/**
 * An append-only file with the SHA-256 of its content: a checkpoint stores length and hash, and a resumed run truncates
 * the file to them. That removes anything torn by a kill.
 */
import {
  type Sha256,
  closeSync,
  dirname,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  startSha256,
} from '@emac/platform';
import { EmacError } from '@emac/core';
import { failpoint } from './failpoint.ts';
import { isThere } from './place.ts';
import { whileWriting } from './io-error.ts';
import { withReader } from './read-range.ts';
import { syncFolder, writeAll } from './write-file.ts';

/** The first `length` bytes of a file. */
export interface FilePart {
  readonly length: number;
  /** hex; not checked if absent */
  readonly sha256?: string;
}

export interface AppendFile {
  readonly path: string;
  /** bytes so far */
  readonly length: number;
  /** of all bytes so far, hex */
  sha256(): string;
  /** adds bytes; after an error (`io`) the file keeps its old content */
  append(bytes: Uint8Array): void;
  /** returns when every byte is on disk */
  sync(): void;
  close(): void;
}

const chunkBytes = 1 << 20;

/** Opens or creates a file and truncates it to `keep`. Errors: `cannot-create`, `io`, `data` if the content does not match `keep`. */
export function openAppendFile(path: string, keep: FilePart): AppendFile {
  const { descriptor, hash } = opened(path, keep);
  let length = fstatSync(descriptor).isFile() ? keep.length : 0;
  return {
    path,
    get length() {
      return length;
    },
    sha256: () => hash.copy().digest('hex'),
    append(bytes) {
      whileWriting(path, () => appendOrCutBack(descriptor, bytes, length));
      length += bytes.byteLength;
      hash.update(bytes);
    },
    sync: () => whileWriting(path, () => fsyncSync(descriptor)),
    close: () => whileWriting(path, () => closeSync(descriptor)),
  };
}

function opened(path: string, keep: FilePart): { readonly descriptor: number; readonly hash: Sha256 } {
  const isNew = !isThere(path);
  const descriptor = whileWriting(path, () => openSync(path, 'a'));
  try {
    const { isRegular, size } = whileWriting(path, () => {
      const found = fstatSync(descriptor);
      return { isRegular: found.isFile(), size: found.size };
    });
    if (!isRegular) return { descriptor, hash: startSha256() };
    const hash = hashOfPart(path, keep);
    whileWriting(path, () => {
      if (size > keep.length) ftruncateSync(descriptor, keep.length);
      if (isNew) syncFolder(dirname(path));
    });
    return { descriptor, hash };
  } catch (thrown) {
    closeSync(descriptor);
    throw thrown;
  }
}

/** Checks that a file begins with a stored part. Errors: `missing`; `data` naming the file. */
export function verifyPart(path: string, part: FilePart): void {
  hashOfPart(path, part);
}

/** Reads in pieces: a buffer of transitions may be larger than the memory. */
function hashOfPart(path: string, { length, sha256: stated }: FilePart): Sha256 {
  const hash = startSha256();
  withReader(path, ({ size, read }) => {
    if (size < length)
      throw new EmacError(
        'data',
        `${path}: must hold the ${length} bytes of the checkpoint, it has ${size}; it was damaged`,
      );
    for (let offset = 0; offset < length; offset += chunkBytes)
      hash.update(read({ offset, length: Math.min(chunkBytes, length - offset) }));
  });
  if (stated !== undefined && hash.copy().digest('hex') !== stated)
    throw new EmacError(
      'data',
      `${path}: its first ${length} bytes do not match the SHA-256 in the checkpoint; it was damaged`,
    );
  return hash;
}

function appendOrCutBack(descriptor: number, bytes: Uint8Array, length: number): void {
  try {
    writeAll(descriptor, bytes);
    failpoint('appended');
  } catch (thrown) {
    if (fstatSync(descriptor).isFile()) ftruncateSync(descriptor, length);
    throw thrown;
  }
}
