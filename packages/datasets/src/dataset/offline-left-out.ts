/**
 * Records that a run skips (`--skip-bad-records`): those too long for the model, known before it starts, and those with
 * undecodable pictures, found on first use. The latter are stored in a file of the run, and every checkpoint knows its
 * length: a resumed run skips the same ones, even if the pictures have changed.
 */
import { openJournal, readJournal, type FilePart, type Journal } from '@emac/files';

/** The flag that named the dataset. */
export type SetName = 'data' | 'val';

export interface LeftOutRecord {
  readonly set: SetName;
  /** its index in the file */
  readonly record: number;
  readonly reason: string;
}

export interface LeftOut {
  /** in the order of discovery */
  records(set: SetName): readonly LeftOutRecord[];
  has(set: SetName, record: number): boolean;
  add(record: LeftOutRecord): void;
}

/** Without skipped records. */
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

/** Opens or creates the file, truncated to `keep`; adds its records to `leftOut`. Errors: `io`, `data`. */
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

/** most numbers in a sentence */
const named = 20;

/** One sentence per set with skipped records; `lengths` are those of the complete sets. */
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
      `skipped in --${set}: ${numbers.length} of ${lengths[set]} records (${first.join(', ')}${rest}); see events.jsonl for the reasons`,
    ];
  });
}
