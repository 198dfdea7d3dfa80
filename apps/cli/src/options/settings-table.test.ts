import { given } from '@emac/algorithms';
import { grpoSchema, ppoSchema, trainSchema } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configured } from './configured.ts';
import { readValues } from './option.ts';
import { settingsTable } from './settings-table.ts';

const schema = z.strictObject({
  rate: z
    .number()
    .positive()
    .max(1)
    .default(0.5)
    .describe('the rate')
    .meta(given('rate', { aliases: ['r'] })),
  group: z.strictObject({
    both: z
      .strictObject({
        low: z.number().min(0).max(1).describe('low'),
        high: z.number().min(0).max(2).describe('high').meta(given('high')),
      })
      .describe('both ends')
      .meta(given('ends')),
    kind: z
      .union([z.literal('a'), z.null()])
      .describe('a kind')
      .meta(given('kind', { words: { a: 'a', none: null } })),
    isOn: z.boolean().meta(given('', { off: { flag: 'no-it', help: 'turns it off' } })),
    count: z
      .number()
      .int()
      .min(1)
      .max(9)
      .nullable()
      .describe('how many')
      .meta(given('count', { none: 'all' })),
    hidden: z.number(),
    place: z
      .string()
      .describe('where')
      .meta(given('place', { isRequired: true })),
  }),
});
const table = settingsTable(schema);
const settingsOf = (typed: Record<string, unknown>) => configured(table, readValues(table, typed).values);

describe('the flags of a schema', () => {
  it('have its names, words, ranges and defaults', () => {
    expect(Object.keys(table)).toEqual(['rate', 'ends', 'high', 'kind', 'no-it', 'count', 'place']);
    expect(table['rate']).toMatchObject({
      help: 'the rate',
      defaultText: '0.5',
      aliases: ['r'],
      paths: ['rate'],
    });
    expect(table['rate']!.form.words).toBe('a number above 0 to 1');
    expect(table['count']!.form.words).toBe('a whole number from 1 to 9, or all');
  });

  it('set values at their paths: a group each of its members, a word its value', () => {
    expect(
      settingsOf({ r: '0.25', ends: '0.5', high: '2', kind: 'none', 'no-it': true, count: 'all' }),
    ).toEqual({
      rate: 0.25,
      group: { both: { low: 0.5, high: 2 }, kind: null, isOn: false, count: null },
    });
  });

  it('are required if there is nothing to do without them', () => {
    expect(readValues(table, {}).problems).toEqual(['--place: is required, give a text']);
  });

  it('are given once, under one of their names', () => {
    expect(readValues(table, { rate: '0.1', r: '0.2', place: 'here' }).problems).toEqual([
      '--rate: was also given as --r, give one of them',
    ]);
  });
});

describe('a setting of several methods', () => {
  const tables = {
    train: settingsTable(trainSchema),
    ppo: settingsTable(ppoSchema),
    grpo: settingsTable(grpoSchema),
  };

  it.each([
    'lr',
    'batch-size',
    'max-grad-norm',
    'adam-epsilon',
    'max-new-tokens',
    'max-prompt-tokens',
    'eval-episodes',
    'seed',
  ])('has one name: --%s', (flag) => {
    for (const each of Object.values(tables)) expect(Object.keys(each)).toContain(flag);
  });

  it('keeps its published names', () => {
    expect(tables.ppo['clip']!.aliases).toContain('clip-param');
    expect(tables.grpo['clip']!.aliases).toContain('epsilon');
    expect(tables.ppo['passes']!.aliases).toContain('ppo-epoch');
    expect(tables.grpo['passes']!.aliases).toContain('num-iterations');
  });
});
