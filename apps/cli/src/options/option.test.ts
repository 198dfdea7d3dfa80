import { EmacError } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { choice, countOrAll, integer, number, readValues, requiredText, text, toggle } from './option.ts';

const table = {
  phase: requiredText('phase'),
  rounds: integer([1, 12], { help: 'rounds', default: 2 }),
  lr: number('above 0', { help: 'rate', default: null }),
  mix: number('from 0', { help: 'mix', default: 0.5 }),
  out: text({ help: 'folder', default: 'runs' }),
  kind: choice(['a', 'b'], { help: 'kind', default: 'a' }),
  keep: countOrAll({ help: 'kept', default: 5 }),
  json: toggle('JSON'),
};

describe('readValues', () => {
  it('gives defaults where nothing was typed', () => {
    expect(readValues(table, { phase: 'bc' })).toEqual({
      ...{ phase: 'bc', rounds: 2, lr: null, mix: 0.5, out: 'runs', kind: 'a', keep: 5, json: false },
    });
  });

  it('parses what was typed', () => {
    const typed = { phase: 'dpo', rounds: '12', lr: '1e-5', mix: '0', out: '007', kind: 'b', keep: 'all' };
    const values = readValues(table, { ...typed, json: true });
    expect(values).toEqual({
      ...{ phase: 'dpo', rounds: 12, lr: 1e-5, mix: 0, out: '007', kind: 'b', keep: null, json: true },
    });
    expect(readValues(table, { ...typed, keep: '12' }).keep).toBe(12);
  });

  it.each([
    [{ rounds: '2' }, '--phase'],
    [{ phase: 'bc', keep: '0' }, '--keep'],
    [{ phase: 'bc', keep: 'none' }, '--keep'],
    [{ phase: 'bc', rounds: '0' }, '--rounds'],
    [{ phase: 'bc', rounds: '13' }, '--rounds'],
    [{ phase: 'bc', rounds: '-3' }, '--rounds'],
    [{ phase: 'bc', rounds: '1.5' }, '--rounds'],
    [{ phase: 'bc', rounds: '1e3' }, '--rounds'],
    [{ phase: 'bc', rounds: '' }, '--rounds'],
    [{ phase: 'bc', rounds: ['1', '2'] }, '--rounds'],
    [{ phase: 'bc', lr: 'abc' }, '--lr'],
    [{ phase: 'bc', lr: '0' }, '--lr'],
    [{ phase: 'bc', lr: 'Infinity' }, '--lr'],
    [{ phase: 'bc', lr: '1e999' }, '--lr'],
    [{ phase: 'bc', lr: 'NaN' }, '--lr'],
    [{ phase: 'bc', lr: '0x10' }, '--lr'],
    [{ phase: 'bc', mix: '-0.1' }, '--mix'],
    [{ phase: 'bc', out: '' }, '--out'],
    [{ phase: 'bc', kind: 'A' }, '--kind'],
  ])('refuses %j and names the flag', (typed, flag) => {
    const error = caught(() => readValues(table, typed));
    expect(error).toBeInstanceOf(EmacError);
    expect((error as EmacError).exitCode).toBe(64);
    expect((error as EmacError).message).toContain(flag);
  });
});

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return null;
}
