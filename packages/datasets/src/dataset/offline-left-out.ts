/**
 * Records of datasets that a run leaves out (`--skip-bad-records`): those that are too long for the model, known before it
 * begins, and those whose pictures cannot be decoded, found when they are first read. The latter are kept in a file of the
 * run, as every checkpoint knows it: a run that goes on leaves out the same ones, whatever has become of the pictures.
 */
import { openJournal, readJournal, type FilePart, type Journal } from '@emac/files';

/** The flag that named the dataset. */
export type SetName = 'data' | 'val';

export interface LeftOutRecord {
  readonly set: SetName;
  /** its number in the file, from 0 */
  readonly record: number;
  readonly reason: string;
}

export interface LeftOut {
  /** in the order in which they were found */
  records(set: SetName): readonly LeftOutRecord[];
  has(set: SetName, record: number): boolean;
  add(record: LeftOutRecord): void;
}

/** Nothing yet. */
export function nothingLeftOut(): LeftOut {
  const found = { data: new Map<number, LeftOutRecord>(), val: new Map<number, LeftOutRecord>() };
  return {
    records: (set) => [...found[set].values()],
    has: (set, record) => found[set].has(record),
    add: (record) => void found[record.set].set(record.record, record),
  };
}

export interface LeftOutFile {
  readonly file: Journal;
  add(record: LeftOutRecord): void;
}

/** Opens or creates the file, cut back to `keep`; what it holds is added to `leftOut`. Errors: `io`, `data`. */
export function openLeftOut(path: string, leftOut: LeftOut, keep: FilePart = { length: 0 }): LeftOutFile {
  const file = openJournal(path, { keep });
  for (const record of readJournal(path) as LeftOutRecord[]) leftOut.add(record);
  return {
    file,
    add(record) {
      file.append(record);
      leftOut.add(record);
    },
  };
}

/** numbers that a sentence names */
const named = 20;

/** One sentence for each set of which something is left out; `lengths` are those of the sets with nothing left out. */
export function leftOutTexts(
  leftOut: LeftOut,
  lengths: Readonly<Record<SetName, number | null>>,
): readonly string[] {
  return (['data', 'val'] as const).flatMap((set) => {
    const numbers = leftOut.records(set).map(({ record }) => record);
    if (numbers.length === 0) return [];
    const first = numbers.toSorted((one, other) => one - other).slice(0, named);
    const rest = numbers.length > named ? ` and ${numbers.length - named} more` : '';
    return [
      `left out of --${set}: ${numbers.length} of ${lengths[set]} records (${first.join(', ')}${rest}); events.jsonl says why`,
    ];
  });
}
