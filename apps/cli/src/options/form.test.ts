import { describe, expect, it } from 'vitest';
import { anyText, numberIn, oneOf, orNull, switched, wholeNumber, wordFor } from './form.ts';

describe('a form', () => {
  it('describes itself', () => {
    expect(wholeNumber(1, 64).words).toBe('a whole number from 1 to 64');
    expect(numberIn({ above: 0 }).words).toBe('a number above 0');
    expect(numberIn({ from: 0 }).words).toBe('a number from 0');
    expect(numberIn({ from: 0, to: 1 }).words).toBe('a number from 0 to 1');
    expect(numberIn({ from: 0, below: 1 }).words).toBe('a number from 0 to below 1');
    expect(oneOf(['linear', 'mlp']).words).toBe('linear or mlp');
    expect(orNull(numberIn({ above: 0 }), 'none').words).toBe('a number above 0, or none');
    expect(switched(true).words).toBe(null);
  });

  it.each([
    [wholeNumber(1, 12), '12', 12],
    [wholeNumber(0, 999_999_999_999_999), '999999999999999', 999_999_999_999_999],
    [numberIn({ above: 0 }), '1e-5', 1e-5],
    [numberIn({ above: 0 }), '.5', 0.5],
    [numberIn({ from: 0 }), '0', 0],
    [numberIn({ from: 0, to: 1 }), '1', 1],
    [numberIn({ from: 0, below: 1 }), '0.999', 0.999],
    [anyText, '007', '007'],
    [oneOf(['a', 'b']), 'b', 'b'],
    [wordFor({ skip: false, own: true }), 'own', true],
    [orNull(wholeNumber(1, 9), 'all'), 'all', null],
    [orNull(wholeNumber(1, 9), 'all'), '9', 9],
  ])('%o reads %j as %j', (form, text, value) => {
    expect(form.parse(text)).toBe(value);
  });

  it.each([
    [wholeNumber(1, 12), ['0', '13', '-3', '1.5', '1e3', '', ' 1', '0x1', '9999999999999999']],
    [numberIn({ above: 0 }), ['abc', '0', '-1', 'Infinity', '1e999', 'NaN', '0x10', '1,5', '']],
    [numberIn({ from: 0 }), ['-0.1', '-0']],
    [numberIn({ from: 0, to: 1 }), ['1.01']],
    [numberIn({ from: 0, below: 1 }), ['1', '1.01', '-0.1']],
    [anyText, ['']],
    [oneOf(['a', 'b']), ['A', 'ab', '']],
    [wordFor({ skip: false }), ['own', 'toString', '']],
    [orNull(wholeNumber(1, 9), 'all'), ['none', '0']],
  ])('%o refuses %j', (form, texts) => {
    for (const text of texts) expect(form.parse(text), text).toBe(undefined);
  });
});
