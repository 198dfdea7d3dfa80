/**
 * The rows of the list, kept up to date. A look at the folders takes sizes and times only. What has changed is read in
 * the background, of `metrics.jsonl` only what was appended, so that a server answers meanwhile. What was read can be
 * stored, and a later process reads only what has changed since.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as others } from 'node:timers/promises';
import type { RunRow, RunRows } from '@emac/pages';
import { layout, standingOf } from '@emac/runs';
import { groupBy } from '@emac/pages/data';
import { nextPiece } from './appended-lines.ts';
import { emptySummary, summarize } from './metrics-summary.ts';
import { resultFolders, type ResultFolder, type RowFile, type Stamp } from './result-folders.ts';
import { rowOf } from './result-row.ts';
import { partReaders, type RowParts } from './row-parts.ts';
import { storedIndex, storeIndex, type StoredResult } from './stored-index.ts';

export interface ResultIndex {
  /** Looks at the folders. What has changed is read from now on in the background; `settled` ends with it. */
  look(): void;
  settled(): Promise<void>;
  /** Rows of these names, or of all results, as far as their files have been read. */
  rows(names?: readonly string[]): RunRows;
  /** Counts changes of rows. */
  readonly version: number;
  /** Names of the results that have changed, come or gone since that version. */
  changedSince(version: number): string[];
  /** Stores what has been read. */
  store(): void;
}

interface Entry {
  found: ResultFolder;
  state: string | null;
  parts: RowParts;
  /** of the files that the parts were read from */
  stamps: Partial<Record<RowFile, Stamp>>;
  /** of the last change */
  version: number;
}

export interface IndexOptions {
  readonly folder: string;
  readonly now: () => Date;
  /** file for what has been read, outside the folders of the runs; null: it is not stored */
  readonly cache: string | null;
}

/** so many bytes of metrics take longer to read than to store what they say */
const bytesWorthStoring = 64 << 20;

/** The index of a folder; empty until the first look. */
export function resultIndex({ folder, now, cache }: IndexOptions): ResultIndex {
  const entries = new Map<string, Entry>();
  const gone = new Map<string, number>();
  const stored = cache === null ? new Map<string, StoredResult>() : storedIndex(cache, folder);
  let version = 0;
  let unstored = 0;
  let reading: Promise<void> | null = null;

  const store = () => {
    if (cache === null) return;
    storeIndex(cache, { folder, results: entries });
    unstored = 0;
  };

  const look = () => {
    const found = resultFolders(folder);
    const names = new Set(found.map(({ name }) => name));
    for (const name of entries.keys())
      if (!names.has(name)) {
        entries.delete(name);
        gone.set(name, ++version);
      }
    for (const each of found) {
      const state = stateOf(each, now());
      const entry = entries.get(each.name);
      if (!entry) {
        const { parts, stamps } = stored.get(each.name) ?? { parts: {}, stamps: {} };
        entries.set(each.name, { found: each, state, parts, stamps, version: ++version });
        gone.delete(each.name);
      } else {
        if (entry.state !== state) entry.version = ++version;
        Object.assign(entry, { found: each, state });
      }
    }
    stored.clear();
    reading ??= read().finally(() => (reading = null));
  };

  const read = async () => {
    await others();
    // a look meanwhile may find more
    for (let unread = unreadIn(entries); unread.length > 0; unread = unreadIn(entries))
      for (const entry of unread) {
        unstored += await readEntry(entry);
        entry.version = ++version;
      }
    if (unstored > bytesWorthStoring) store();
  };

  return {
    look,
    settled: async () => {
      while (reading) await reading;
    },
    rows: (names) => rowsOf(entries, { names, now: now() }),
    get version() {
      return version;
    },
    changedSince: (seen) => [
      ...[...entries.values()].filter((entry) => entry.version > seen).map(({ found }) => found.name),
      ...[...gone].filter(([, at]) => at > seen).map(([name]) => name),
    ],
    store,
  };
}

interface Asked {
  readonly names: readonly string[] | undefined;
  readonly now: Date;
}

function rowsOf(entries: ReadonlyMap<string, Entry>, { names, now }: Asked): RunRows {
  const asked = names?.flatMap((name) => entries.get(name) ?? []) ?? newestFirst(entries.values());
  const children = groupBy(entries.values(), ({ found }) => found.parent);
  const row = (entry: Entry): RunRow => {
    const inner = children.get(entry.found.name) ?? [];
    return rowOf(entry, inner.map(row), now);
  };
  return {
    runs: asked.map(row),
    unread: [...entries.values()].filter((entry) => !isRead(entry)).length,
  };
}

function unreadIn(entries: ReadonlyMap<string, Entry>): Entry[] {
  return newestFirst(entries.values()).filter((entry) => !isRead(entry));
}

/** By start; what is not read yet, by name. */
function newestFirst(entries: Iterable<Entry>): Entry[] {
  const startOf = ({ found, parts }: Entry) => parts[layout.run]?.started ?? found.name;
  return [...entries]
    .map((entry) => ({ entry, start: startOf(entry) }))
    .sort((one, other) => (one.start < other.start ? 1 : one.start > other.start ? -1 : 0))
    .map(({ entry }) => entry);
}

function isRead({ found, stamps }: Entry): boolean {
  const files = Object.keys(found.stamps) as RowFile[];
  return (
    files.length === Object.keys(stamps).length &&
    files.every((file) => isSame(found.stamps[file]!, stamps[file]))
  );
}

function isSame([size, changed]: Stamp, other: Stamp | undefined): boolean {
  return other !== undefined && other[0] === size && other[1] === changed;
}

/** Reads what has changed; returns how many bytes of metrics. */
async function readEntry(entry: Entry): Promise<number> {
  const { found } = entry;
  const parts: RowParts = {};
  let bytes = 0;
  for (const [file, stamp] of Object.entries(found.stamps) as [RowFile, Stamp][]) {
    if (isSame(stamp, entry.stamps[file])) Object.assign(parts, { [file]: entry.parts[file] });
    else if (file === layout.metrics) {
      const before = entry.parts[file]?.read.offset ?? 0;
      parts[file] = await summaryOf(join(found.folder, file), entry.parts[file]);
      bytes = Math.abs(parts[file].read.offset - before);
    } else Object.assign(parts, { [file]: partIn(join(found.folder, file), file) });
  }
  Object.assign(entry, { parts, stamps: found.stamps });
  await others();
  return bytes;
}

/** Undefined if the file is damaged or gone. */
function partIn(path: string, file: keyof typeof partReaders): unknown {
  try {
    return partReaders[file](readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

async function summaryOf(path: string, known = emptySummary()) {
  let summary = structuredClone(known);
  for (;;) {
    const piece = pieceOf(path, summary);
    if (piece === null) return summary;
    if (piece.isNew) summary = emptySummary();
    summarize(summary, piece.lines);
    summary.read = piece.read;
    await others();
  }
}

/** Null also if the file is gone. */
function pieceOf(path: string, { read }: ReturnType<typeof emptySummary>) {
  try {
    return nextPiece(path, read);
  } catch {
    return null;
  }
}

/** Null for what does not run, or is damaged. */
function stateOf({ kind, folder, stamps }: ResultFolder, now: Date): string | null {
  if (kind !== 'run') return null;
  if (stamps[layout.done]) return 'done';
  try {
    return standingOf(folder, now).status;
  } catch {
    return null;
  }
}
