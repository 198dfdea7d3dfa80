/** What the index has read, in a file: valid for results whose files have the same sizes and times. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createFolder, writeFileAtomic } from '@emac/files';
import type { RowFile, Stamp } from './result-folders.ts';
import type { RowParts } from './row-parts.ts';

export interface StoredResult {
  readonly parts: RowParts;
  readonly stamps: Partial<Record<RowFile, Stamp>>;
}

/** of the form of what is stored; another one is not read */
const form = 3;

/** Empty for a missing or damaged file, one of another form, or one of another folder. */
export function storedIndex(path: string, folder: string): Map<string, StoredResult> {
  try {
    const stored = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    if (stored['form'] !== form || stored['folder'] !== folder) return new Map();
    return new Map(Object.entries(stored['results'] as Record<string, StoredResult>));
  } catch {
    return new Map();
  }
}

interface Stored {
  readonly folder: string;
  readonly results: ReadonlyMap<string, StoredResult>;
}

/** A file that cannot be written is left out: the index is then read again. */
export function storeIndex(path: string, { folder, results }: Stored): void {
  const plain = Object.fromEntries(
    [...results].map(([name, { parts, stamps }]) => [name, { parts, stamps }]),
  );
  try {
    createFolder(dirname(path));
    writeFileAtomic(path, JSON.stringify({ form, folder, results: plain }));
  } catch {
    // what it would have saved is a few seconds of reading
  }
}
