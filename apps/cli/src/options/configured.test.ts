import { given } from '@emac/algorithms';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configured } from './configured.ts';
import { readValues } from './option.ts';
import { settingsTable } from './settings-table.ts';

const number = z.number().min(0);
const schema = z.strictObject({
  rate: z.number().positive().meta(given('rate')),
  limit: z
    .number()
    .int()
    .min(1)
    .max(9)
    .nullable()
    .default(null)
    .meta(given('limit', { none: 'all' })),
  name: z
    .string()
    .min(1)
    .default('tiny')
    .meta(given('twice', { also: ['data.path'] })),
  betas: z.tuple([number.meta(given('first')), number]),
  choice: z
    .union([
      z.strictObject({ keep: z.enum(['all', 'none']) }),
      z.strictObject({ keep: z.literal('some'), after: z.number().int().min(0).max(5).meta(given('after')) }),
    ])
    .meta(given('keep', { words: { all: { keep: 'all' }, some: { keep: 'some', after: 0 } } })),
  group: z
    .strictObject({
      kind: z.enum(['a', 'b']).default('b'),
      isOn: z
        .boolean()
        .nullable()
        .default(null)
        .meta(given('on', { off: { flag: 'off', help: 'not so' } })),
    })
    .prefault({}),
  data: z
    .strictObject({ path: z.string().meta(given('path')) })
    .nullable()
    .default(null),
});
const table = settingsTable(schema);

describe('a setting', () => {
  it('shows a value as its flag takes it', () => {
    expect(table['limit']!.shown(null)).toBe('all');
    expect(table['off']!.shown(true)).toBe('false');
    const shown = [{ keep: 'all' }, { keep: 'some', after: 3 }].map(table['keep']!.shown);
    expect(shown).toEqual(['all', 'some']);
  });

  it('is a bug if its schema has no single value', () => {
    const group = z.strictObject({ group: z.strictObject({}).meta(given('group')) });
    expect(() => settingsTable(group)).toThrow('"group" takes no single value');
  });
});

describe('configured', () => {
  const got = (typed: object, base = {}) =>
    configured(table, readValues(table, typed as Record<string, unknown>).values, base);

  it('has the typed values and nothing else', () => {
    expect(got({})).toEqual({});
    expect(got({ rate: '2', limit: 'all', on: true })).toEqual({
      rate: 2,
      limit: null,
      group: { isOn: true },
    });
    expect(got({ off: true })).toEqual({ group: { isOn: false } });
    expect(got({ twice: 'x' })).toEqual({ name: 'x', data: { path: 'x' } });
  });

  it('follows the order of the table: a part after its whole', () => {
    expect(got({ after: '3', keep: 'some' })).toEqual({ choice: { keep: 'some', after: 3 } });
  });

  it('names an item of a list by its place, and puts the rest over a base', () => {
    expect(got({ first: '0.5' })).toEqual({ betas: { 0: 0.5 } });
    const base = { rate: 1, data: null, group: { kind: 'a', isOn: null } };
    expect(got({ on: true, path: 'p' }, base)).toEqual({
      rate: 1,
      data: { path: 'p' },
      group: { kind: 'a', isOn: true },
    });
    expect(base.group.isOn).toBe(null);
  });
});
