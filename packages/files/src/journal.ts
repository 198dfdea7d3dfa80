/**
 * Append-only JSON lines. A line counts once it is whole on disk. What a kill or a power cut left at the end, a part of a
 * line or lines with lost sectors, is cut off on opening and ignored on reading; a damaged line before a whole one is an
 * error.
 */
import { readFileSync } from '@emac/platform';
import { EmacError, messageOf } from '@emac/core';
import { openAppendFile, type AppendFile, type FilePart } from './append-file.ts';
import { canonicalJson } from './canonical-json.ts';
import { isFile } from './place.ts';
import { whileReading } from './io-error.ts';

export interface Journal extends Omit<AppendFile, 'append'> {
  /** adds one line (canonical JSON); after an error (`io`) the journal keeps its earlier lines */
  append(value: object): void;
  /** written so far */
  readonly lines: number;
}

/**
 * Opens or creates a journal for appending. `keep` truncates it to a checkpoint; later lines are written again. Errors:
 * `cannot-create`, `io`, `data`.
 */
export function openJournal(path: string, options: { readonly keep?: FilePart } = {}): Journal {
  const { keep } = options;
  const bytes = isRegularFile(path) ? whileReading(path, () => readFileSync(path)) : new Uint8Array();
  const part = keep ? lineEnd(path, keep, bytes) : { length: wholeLines(bytes) };
  const file = openAppendFile(path, part);
  let lines = newLines(bytes.subarray(0, part.length));
  return {
    ...file,
    get length() {
      return file.length;
    },
    get lines() {
      return lines;
    },
    append(value) {
      file.append(new TextEncoder().encode(`${canonicalJson(value)}\n`));
      lines++;
    },
  };
}

/** Every complete line of a journal, parsed. Errors: `missing`; `data` naming a line that is not JSON. */
export function readJournal(path: string): unknown[] {
  const bytes = whileReading(path, () => readFileSync(path));
  const text = new TextDecoder().decode(bytes.subarray(0, wholeLines(bytes)));
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      try {
        return JSON.parse(line) as unknown;
      } catch (thrown) {
        throw new EmacError('data', `${path}, line ${index + 1}: is not JSON: ${messageOf(thrown)}`);
      }
    });
}

function newLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
  return lines;
}

/** Bytes up to the end of the last line that is whole: sectors that were lost, as in a power cut, read as zeros. */
function wholeLines(bytes: Uint8Array): number {
  let end = bytes.lastIndexOf(10) + 1;
  while (end > 0) {
    const start = end === 1 ? 0 : bytes.lastIndexOf(10, end - 2) + 1;
    if (!bytes.subarray(start, end).includes(0)) break;
    end = start;
  }
  return end;
}

function lineEnd(path: string, keep: FilePart, bytes: Uint8Array): FilePart {
  if (keep.length === 0 || !isRegularFile(path)) return keep;
  if (keep.length > bytes.byteLength || bytes[keep.length - 1] !== 10)
    throw new EmacError(
      'data',
      `${path}: must hold complete lines up to byte ${keep.length}, it has ${bytes.byteLength} bytes; it was damaged`,
    );
  return keep;
}

function isRegularFile(path: string): boolean {
  return isFile(path);
}
