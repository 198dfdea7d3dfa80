/**
 * Finds equal texts among any number, by 61 bits of their hashes, which stay in a file that is removed at the end: its entries are sorted into parts by the
 * first bits, so that memory holds one part of 256 at a time. Of 10⁸ different texts two are taken for equal with a chance of 0.2 in 100.
 */
import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whileReading, whileWriting } from '@emac/files';

const parts = 256;
/** a hash and a number, each as a float64 */
const entryBytes = 16;

export interface DuplicateFinder {
  /** numbers rise */
  add(text: string, number: number): void;
  /** Texts equal to an earlier one: how many, and the first of them by their numbers. */
  found(most: number): { readonly count: number; readonly first: readonly number[] };
  close(): void;
}

/** `kept`: entries of a part in memory. Errors of all its functions: `cannot-create`, `io`. */
export function duplicateFinder(kept = 512): DuplicateFinder {
  const file = temporaryFile(kept * entryBytes);
  const held = Array.from({ length: parts }, () => new Float64Array(2 * kept));
  const used = new Uint32Array(parts);
  /** where the blocks of each part begin in the file */
  const blocks = Array.from({ length: parts }, (): number[] => []);
  return {
    add(text, number) {
      const hash = createHash('sha256').update(text).digest();
      const part = hash[0]!;
      const entries = held[part]!;
      if (used[part] === kept) {
        blocks[part]!.push(file.append(entries));
        used[part] = 0;
      }
      const place = 2 * used[part]!++;
      entries[place] = hash.readUIntBE(1, 6) * 32 + (hash[7]! & 31);
      entries[place + 1] = number;
    },
    found(most) {
      let count = 0;
      let first: number[] = [];
      for (let part = 0; part < parts; part++) {
        const seen = new Set<number>();
        const look = (entries: Float64Array, length: number) => {
          for (let place = 0; place < 2 * length; place += 2) {
            if (!seen.has(entries[place]!)) seen.add(entries[place]!);
            else {
              count++;
              first.push(entries[place + 1]!);
            }
            if (first.length > 2 * most) first = leastOf(first, most);
          }
        };
        for (const block of blocks[part]!) look(file.read(block), kept);
        look(held[part]!, used[part]!);
      }
      return { count, first: leastOf(first, most) };
    },
    close: file.close,
  };
}

function leastOf(numbers: readonly number[], most: number): number[] {
  return numbers.toSorted((one, other) => one - other).slice(0, most);
}

/** Blocks of one length in a file that exists from the first one on. */
function temporaryFile(blockBytes: number) {
  let opened: { readonly file: number; readonly folder: string } | null = null;
  let end = 0;
  const open = () => {
    const place = join(tmpdir(), 'emac-duplicates-');
    return whileWriting(place, () => {
      const folder = mkdtempSync(place);
      const file = openSync(join(folder, 'hashes'), 'wx+');
      // an open file stays readable without its name, so that a killed process leaves none
      if (process.platform !== 'win32') rmSync(folder, { recursive: true });
      return { file, folder };
    });
  };
  return {
    append(block: Float64Array): number {
      const { file, folder } = (opened ??= open());
      const start = end;
      end += whileWriting(folder, () => writeSync(file, block, 0, block.byteLength, start));
      return start;
    },
    read(start: number): Float64Array {
      const block = new Float64Array(blockBytes / 8);
      const { file, folder } = opened!;
      whileReading(folder, () => readSync(file, block, 0, block.byteLength, start));
      return block;
    },
    close(): void {
      if (!opened) return;
      closeSync(opened.file);
      rmSync(opened.folder, { recursive: true, force: true });
      opened = null;
    },
  };
}
