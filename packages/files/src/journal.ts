/**
 * Append-only JSON lines. A line counts once its newline is on disk: a partial last line, which a kill can leave,
 * is cut off when the journal is opened and ignored when it is read.
 */
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { EmacError, messageOf } from '@emac/core';
import { canonicalJson } from './canonical-json.ts';
import { whileReading, whileWriting } from './io-error.ts';
import { syncFolder, writeAll } from './write-file.ts';

export interface Journal {
  readonly path: string;
  /** bytes of complete lines */
  readonly length: number;
  /** Adds one line (canonical JSON); on a fault (`io`) the journal keeps its earlier lines. */
  append(value: object): void;
  /** Returns when every line is on disk. */
  sync(): void;
  close(): void;
}

/**
 * Opens or creates a journal for appending. `keep` cuts it back to that many bytes, which must end a line: what
 * was written after a checkpoint is written again. Errors: `cannot-create`, `io`, `data`.
 */
export function openJournal(path: string, options: { readonly keep?: number } = {}): Journal {
  const created = !existsSync(path);
  const descriptor = whileWriting(path, () => openSync(path, 'a'));
  let length = 0;
  whileWriting(path, () => {
    if (!fstatSync(descriptor).isFile()) return;
    length = keptLength(path, options.keep);
    if (fstatSync(descriptor).size > length) ftruncateSync(descriptor, length);
    if (created) syncFolder(dirname(path));
  });
  return {
    path,
    get length() {
      return length;
    },
    append(value) {
      const line = new TextEncoder().encode(`${canonicalJson(value)}\n`);
      whileWriting(path, () => appendOrCutBack(descriptor, line, length));
      length += line.byteLength;
    },
    sync: () => whileWriting(path, () => fsyncSync(descriptor)),
    close: () => whileWriting(path, () => closeSync(descriptor)),
  };
}

/** Every complete line of a journal, parsed. Errors: `missing`; `data` naming the line that is not JSON. */
export function readJournal(path: string): unknown[] {
  const text = whileReading(path, () => readFileSync(path, 'utf8'));
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.slice(0, -1).map((line, index) => {
    try {
      return JSON.parse(line) as unknown;
    } catch (thrown) {
      throw new EmacError('data', `${path}, line ${index + 1}: is not JSON: ${messageOf(thrown)}`);
    }
  });
}

function keptLength(path: string, keep: number | undefined): number {
  const bytes = readFileSync(path);
  if (keep === undefined) return bytes.lastIndexOf(10) + 1;
  if (keep > bytes.byteLength || (keep > 0 && bytes[keep - 1] !== 10))
    throw new EmacError(
      'data',
      `${path}: must hold complete lines up to byte ${keep}, it has ${bytes.byteLength} bytes; it was damaged`,
    );
  return keep;
}

function appendOrCutBack(descriptor: number, line: Uint8Array, length: number): void {
  try {
    writeAll(descriptor, line);
  } catch (thrown) {
    if (fstatSync(descriptor).isFile()) ftruncateSync(descriptor, length);
    throw thrown;
  }
}
