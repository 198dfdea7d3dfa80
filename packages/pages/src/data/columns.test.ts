import { describe, expect, it } from 'vitest';
import { addable, columnOf, filteredRows, fixedColumns, sortedRows } from './columns.ts';
import type { RunRow } from './run-row.ts';

const row = (name: string, others: Partial<RunRow> = {}): RunRow => ({
  name,
  kind: 'run',
  parent: null,
  title: null,
  note: null,
  isStarred: false,
  method: 'bc',
  environment: 'alfworld',
  policy: 'emma-tiny',
  state: 'done',
  started: null,
  seconds: null,
  updates: 0,
  environmentSteps: null,
  success: { evaluated: null, curve: [], last: null, best: null },
  changed: [],
  settings: {},
  metrics: {},
  ...others,
});
const best = (share: number | null) => ({ success: { evaluated: null, curve: [], last: null, best: share } });
const metric = (last: number) => ({ metrics: { 'update loss': { last, low: 0, high: 9 } } });
const names = (rows: readonly RunRow[]) => rows.map(({ name }) => name).join(' ');

describe('rows of the list', () => {
  it('are sorted by any column, in both directions, those without a value last', () => {
    const rows = [row('a', best(0.5)), row('b'), row('c', best(1)), row('d', best(0.25))];
    expect(names(sortedRows(rows, '-best'))).toBe('c a d b');
    expect(names(sortedRows(rows, 'best'))).toBe('d a c b');
    const measured = [row('a', metric(2)), row('b', metric(10))];
    expect(names(sortedRows(measured, '-metric:update loss'))).toBe('b a');
    const set = [row('a', { settings: { lr: 'auto' } }), row('b', { settings: { lr: 0.1 } })];
    expect(names(sortedRows(set, 'setting:lr'))).toBe('b a');
    // numbers in words by their value, and an unknown column changes nothing
    expect(names(sortedRows([row('run-10'), row('run-9')], 'name'))).toBe('run-9 run-10');
    expect(names(sortedRows(rows, 'what'))).toBe('a b c d');
  });

  it('are filtered by words that all stand in them, and by environment, method, state and parent', () => {
    const rows = [
      row('a', { changed: ['--lr 0.1'], note: 'Fast' }),
      row('b', { changed: ['--lr 0.1'], method: 'ppo', state: 'running' }),
      row('c', { kind: 'evaluation', method: null, state: null, parent: 's' }),
    ];
    const none = { text: '', environment: '', method: '', state: '', parent: '' };
    const found = (filter: Partial<typeof none>) => names(filteredRows(rows, { ...none, ...filter }));
    expect(found({})).toBe('a b c');
    expect(found({ text: 'fast  --LR' })).toBe('a');
    expect(found({ method: 'ppo' })).toBe('b');
    expect(found({ state: 'evaluation' })).toBe('c');
    expect(found({ parent: 's' })).toBe('c');
    expect(found({ environment: 'minigrid' })).toBe('');
  });
});

it('columns can be added for settings that differ and for all metrics', () => {
  const rows = [
    row('a', { settings: { lr: 0.1, seed: 0 }, ...metric(1) }),
    row('b', { settings: { lr: 0.2, seed: 0 } }),
    row('c', { kind: 'evaluation' }),
  ];
  expect(addable(rows)).toEqual({ settings: ['lr'], metrics: ['update loss'] });
  expect(columnOf('nothing')).toBeNull();
});

it('says values as people read them', () => {
  const said = (id: string, of: RunRow) => {
    const column = fixedColumns.find((each) => each.id === id)!;
    return column.words(column.value(of)!);
  };
  expect(said('best', row('a', best(0.254)))).toBe('25 %');
  expect(said('time', row('a', { seconds: 3700 }))).toBe('1 h 1 min');
  expect(said('started', row('a', { started: '2026-11-29T04:44:03.537Z' }))).toBe('2026-11-29 04:44');
  expect(said('changed', row('a', { changed: ['--init /a/b/run', '--lr 0.1'] }))).toBe(
    '--init …/run  --lr 0.1',
  );
});
