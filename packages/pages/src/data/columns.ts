/** Columns of the list of runs: fixed ones, and any setting or metric. */
import { differingSettings } from './differences.ts';
import { countedSuccess } from './row-of-view.ts';
import type { RunRow } from './run-row.ts';
import {
  durationWords,
  environmentWords,
  flagWords,
  methodWords,
  percent,
  short,
  timeWords,
} from './words.ts';

type Value = string | number | boolean | null;

export interface RunColumn {
  /** in addresses; a setting's is `setting:NAME`, a metric's `metric:NAME` */
  readonly id: string;
  readonly name: string;
  readonly kind: 'text' | 'number' | 'share';
  /** what rows are sorted by; null comes last */
  readonly value: (row: RunRow) => Value;
  readonly words: (value: NonNullable<Value>) => string;
}

const column = (id: string, value: RunColumn['value'], others: Partial<RunColumn> = {}): RunColumn => ({
  id,
  name: id,
  kind: 'text',
  value,
  words: String,
  ...others,
});
const share = { kind: 'share', words: (value: unknown) => percent(Number(value)) } as const;
const number = (words: (value: number) => string) =>
  ({ kind: 'number', words: (value: unknown) => words(Number(value)) }) as const;

export const nameColumn = column('name', ({ title, name }) => title ?? name);

/** In the order shown, after the name. */
export const fixedColumns: readonly RunColumn[] = [
  column('success', ({ success }) => countedSuccess(success)?.after.share ?? null, share),
  column('best', ({ success }) => success.best, { ...share, name: 'highest in training' }),
  column('method', ({ method, kind }) => (method === null ? kind : methodWords(method))),
  column('environment', ({ environment }) => environment && environmentWords(environment)),
  column('state', ({ state, kind }) => state ?? kind),
  column('policy', ({ policy }) => policy),
  column('time', ({ seconds }) => seconds, number(durationWords)),
  column('updates', ({ updates, kind }) => (kind === 'run' || updates > 0 ? updates : null), number(String)),
  column('started', ({ started }) => started, { words: (value) => timeWords(String(value)) }),
  column('changed', ({ changed }) => changed.map(flagWords).join('  ') || null, { name: 'changed settings' }),
];

/** A column by its id; null for an unknown one. */
export function columnOf(id: string): RunColumn | null {
  const [kind, name] = [id.slice(0, id.indexOf(':')), id.slice(id.indexOf(':') + 1)];
  if (kind === 'setting') return column(id, ({ settings }) => settings[name] ?? null, { name });
  if (kind === 'metric')
    return column(id, ({ metrics }) => metrics[name]?.last ?? null, { name, ...number(short) });
  return [nameColumn, ...fixedColumns].find((each) => each.id === id) ?? null;
}

/** Ids of what can be added: settings that differ between these rows, then all metrics, in alphabetical order. */
export function addable(rows: readonly RunRow[]): {
  readonly settings: readonly string[];
  readonly metrics: readonly string[];
} {
  const having = rows.filter(({ settings }) => Object.keys(settings).length > 0);
  return {
    settings: differingSettings(having.map(({ settings }) => settings)).map(({ name }) => name),
    metrics: [...new Set(rows.flatMap(({ metrics }) => Object.keys(metrics)))].sort(),
  };
}

/** `-ID` for the highest first. Empty values come last in both directions; equal rows keep their order. */
export function sortedRows(rows: readonly RunRow[], by: string): readonly RunRow[] {
  const isDown = by.startsWith('-');
  const found = columnOf(isDown ? by.slice(1) : by);
  if (found === null) return rows;
  const keyed = rows.map((row) => ({ row, value: found.value(row) }));
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
    return compared(a.value, b.value) * (isDown ? -1 : 1);
  });
  return keyed.map(({ row }) => row);
}

function compared(a: NonNullable<Value>, b: NonNullable<Value>): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/** What rows are chosen by; an empty text chooses all. */
export interface RowFilter {
  /** words that all stand somewhere in a row */
  readonly text: string;
  readonly environment: string;
  readonly method: string;
  readonly state: string;
  /** name of the sweep or comparison that rows are a part of */
  readonly parent: string;
}

export function filteredRows(rows: readonly RunRow[], filter: RowFilter): readonly RunRow[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const is = (asked: string, value: string | null) => asked === '' || asked === value;
  return rows.filter(
    (row) =>
      is(filter.environment, row.environment) &&
      is(filter.method, row.method ?? row.kind) &&
      is(filter.state, row.state ?? row.kind) &&
      (filter.parent === '' || filter.parent === row.parent) &&
      words.every((word) => searched(row).includes(word)),
  );
}

function searched({ name, title, note, method, environment, policy, state, changed, kind }: RunRow): string {
  return [name, title, note, method, environment, policy, state, kind, ...changed].join(' ').toLowerCase();
}
