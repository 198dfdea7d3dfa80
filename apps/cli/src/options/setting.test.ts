import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configured } from './configured.ts';
import { readValues } from './option.ts';
import { settingsOf } from './setting.ts';

const schema = z.strictObject({
  rate: z.number().positive().describe('highest rate'),
  limit: z.number().int().min(1).max(9).nullable().default(null).describe('most of all'),
  name: z.string().min(1).default('tiny').describe('which one'),
  betas: z.tuple([z.number().min(0).describe('first'), z.number().min(0).describe('second')]),
  choice: z.union([
    z.strictObject({ keep: z.enum(['all', 'none']) }),
    z.strictObject({ keep: z.literal('some'), after: z.number().int().min(0).max(5) }),
  ]),
  group: z
    .strictObject({
      kind: z.enum(['a', 'b']).default('b').describe('a kind'),
      isOn: z.boolean().nullable().default(null).describe('on or as elsewhere'),
    })
    .prefault({}),
  data: z
    .strictObject({ path: z.string().describe('a path') })
    .nullable()
    .default(null),
});

const { at, both, off, orNull, words } = settingsOf(schema, (path, shown) =>
  path === 'rate' ? shown(0.25) : null,
);

describe('a setting', () => {
  it('has the words, form and default of its schema', () => {
    const said = (path: Parameters<typeof at>[0]) => {
      const { help, form, defaultText } = at(path);
      return [help, form.words, defaultText];
    };
    expect(said('rate')).toEqual(['highest rate', 'a number above 0', '0.25']);
    expect(said('limit')).toEqual(['most of all', 'a whole number from 1 to 9', null]);
    expect(said('name')).toEqual(['which one', 'a text', 'tiny']);
    expect(said('betas.1')).toEqual(['second', 'a number from 0', null]);
    expect(said('choice.after')).toEqual(['', 'a whole number from 0 to 5', null]);
    expect(said('group.kind')).toEqual(['a kind', 'a or b', 'b']);
    expect(said('group.isOn')).toEqual(['on or as elsewhere', null, null]);
    expect(said('data.path')).toEqual(['a path', 'a text', null]);
  });

  it('can replace its default’s text, or its sentence', () => {
    expect(at('limit', { otherwise: 'no limit' }).defaultText).toBe('no limit');
    expect(at('choice.after', { help: 'how far' }).help).toBe('how far');
  });

  it('is a bug if the schema has no such path, or no single value there', () => {
    expect(() => at('rates' as 'rate')).toThrow('the schema has no rates');
    expect(() => at('group')).toThrow('group takes no single value');
  });

  it('shows a value as its flag takes it', () => {
    expect(orNull('limit', 'all').shown(null)).toBe('all');
    expect(off('group.isOn', 'not so').shown(true)).toBe('false');
    const kept = words('choice', { all: { keep: 'all' }, some: { keep: 'some', after: 0 } });
    expect([{ keep: 'all' }, { keep: 'some', after: 3 }].map(kept.shown)).toEqual(['all', 'some']);
  });
});

describe('configured', () => {
  const table = {
    rate: at('rate'),
    limit: orNull('limit', 'all'),
    first: at('betas.0'),
    keep: words('choice', { all: { keep: 'all' }, some: { keep: 'some', after: 0 } }),
    after: at('choice.after'),
    on: at('group.isOn'),
    off: off('group.isOn', 'not so'),
    path: at('data.path'),
    twice: both(['name', 'data.path']),
  };
  const given = (typed: object, how = {}) =>
    configured(table, readValues(table, typed as Record<string, unknown>).values, how);

  it('has the typed values and nothing else', () => {
    expect(given({})).toEqual({});
    expect(given({ rate: '2', limit: 'all', on: true })).toEqual({
      rate: 2,
      limit: null,
      group: { isOn: true },
    });
    expect(given({ off: true })).toEqual({ group: { isOn: false } });
    expect(given({ twice: 'x' })).toEqual({ name: 'x', data: { path: 'x' } });
  });

  it('follows the order of the table: a part after its whole', () => {
    expect(given({ after: '3', keep: 'some' })).toEqual({ choice: { keep: 'some', after: 3 } });
  });

  it('completes a list from the standard, and puts the rest over a base', () => {
    expect(given({ first: '0.5' }, { standard: { betas: [0.9, 0.99] } })).toEqual({ betas: [0.5, 0.99] });
    const base = { rate: 1, data: null, group: { kind: 'a', isOn: null } };
    expect(given({ on: true, path: 'p' }, { base })).toEqual({
      rate: 1,
      data: { path: 'p' },
      group: { kind: 'a', isOn: true },
    });
    expect(base.group.isOn).toBe(null);
  });
});
