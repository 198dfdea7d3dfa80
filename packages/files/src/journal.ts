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
}

/**
 * Opens or creates a journal for appending. `keep` truncates it to a checkpoint; later lines are written again. Errors:
 * `cannot-create`, `io`, `data`.
 */
export function openJournal(path: string, options: { readonly keep?: FilePart } = {}): Journal {
  const { keep } = options;
  const file = openAppendFile(path, keep ? lineEnd(path, keep) : { length: completeLines(path) });
  return {
    ...file,
    get length() {
      return file.length;
    },
    append: (value) => file.append(new TextEncoder().encode(`${canonicalJson(value)}\n`)),
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

/** Bytes of complete lines; 0 if there is no regular file. */
function completeLines(path: string): number {
  if (!isRegularFile(path)) return 0;
  return wholeLines(whileReading(path, () => readFileSync(path)));
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

function lineEnd(path: string, keep: FilePart): FilePart {
  if (keep.length === 0 || !isRegularFile(path)) return keep;
  const bytes = whileReading(path, () => readFileSync(path));
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
