import { describe, expect, it } from 'vitest';
import { choice, integer, readValues, requiredText, text, toggle } from './option.ts';

const table = {
  run: requiredText('run'),
  rounds: integer([1, 12], { help: 'rounds', default: 2 }),
  limit: integer([1, 9], { help: 'limit', default: null, defaultText: 'none' }),
  out: text({ help: 'folder', default: 'runs' }),
  kind: choice(['a', 'b'], { help: 'kind', default: 'a' }),
  json: toggle('JSON'),
};

describe('readValues', () => {
  it('gives defaults if nothing was typed', () => {
    expect(readValues(table, { run: 'x' }).values).toEqual({
      run: 'x',
      rounds: 2,
      limit: null,
      out: 'runs',
      kind: 'a',
      json: false,
    });
  });

  it('parses typed text', () => {
    const typed = { run: 'x', rounds: '12', limit: '9', out: '007', kind: 'b', json: true };
    const { values } = readValues(table, typed);
    expect(values).toEqual({ ...typed, rounds: 12, limit: 9 });
  });

  it.each([
    [{ rounds: '2' }, '--run: is required, give a text'],
    [{ run: 'x', rounds: '13' }, '--rounds: must be a whole number from 1 to 12, got "13"'],
    [{ run: 'x', rounds: ['1', '2'] }, '--rounds: was given 2 times, give it once'],
    [{ run: 'x', out: '' }, '--out: must not be empty'],
    [{ run: 'x', kind: 'A' }, '--kind: must be a or b, got "A"'],
  ])('rejects %j and names the flag', (typed, message) => {
    expect(readValues(table, typed).problems).toEqual([message]);
  });

  it('names everything it rejects', () => {
    expect(readValues(table, { rounds: '0', kind: 'c' }).problems).toHaveLength(3);
  });
});
