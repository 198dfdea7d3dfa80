/** The runs in a folder. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { layout } from './layout.ts';
import { readRecord, type RunRecord } from './run-record.ts';

export interface ListedRun {
  readonly folder: string;
  /** the folder's name */
  readonly name: string;
  readonly record: RunRecord;
}

/** Newest start first; folders without a readable record are left out, and a missing folder has none. */
export function runsIn(folder: string): ListedRun[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.') && existsSync(join(folder, name, layout.run)))
    .flatMap((name) => listed(join(folder, name), name))
    .sort((one, other) => startOf(other) - startOf(one) || (one.name < other.name ? 1 : -1));
}

function listed(folder: string, name: string): ListedRun[] {
  try {
    return [{ folder, name, record: readRecord(folder) }];
  } catch {
    return [];
  }
}

function startOf({ record }: ListedRun): number {
  return Date.parse(record.started) || 0;
}
