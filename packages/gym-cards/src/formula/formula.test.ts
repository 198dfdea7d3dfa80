import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactValue } from './exact.ts';
import { pythonValue } from './python.ts';
import type { Token } from './token.ts';

/** Numbers as numbers, all else as it stands, e.g. `8 / ( 3 - 8 / 3 )`; `_` is a blank. */
function tokens(text: string): Token[] {
  return text.split(' ').map((each) => (each === '_' ? ' ' : /\d/.test(each) ? Number(each) : each));
}

describe('a formula, exactly', () => {
  it.each([
    ['2 + 3 * 4', '14/1'],
    ['( 2 + 3 ) * 4', '20/1'],
    ['10 - 4 - 3', '3/1'],
    ['10 / 4 / 5', '1/2'],
    ['8 / ( 3 - 8 / 3 )', '24/1'],
    ['5 * ( 5 - 1 / 5 )', '24/1'],
    ['- 2 * - 3', '6/1'],
    ['2 - - + 3', '5/1'],
    ['- ( 2 + 3 ) / 10', '-1/2'],
    ['_ 2 _ * _ 6 _', '12/1'],
    ['( ( ( 7 ) ) )', '7/1'],
  ])('%s is %s', (text, expected) => {
    const value = exactValue(tokens(text))!;
    expect(`${value.numerator}/${value.denominator}`).toBe(expected);
  });

  it.each([
    '2 4',
    '2 _ 4',
    '2 * * 4',
    '9 / / 4',
    '2 +',
    '* 2',
    '( 2',
    '2 )',
    '( )',
    '2 ( 3 )',
    '( 2 ) 3',
    '_',
    '1 / ( 2 - 2 )',
  ])('%s has no value', (text) => {
    expect(exactValue(tokens(text))).toBeNull();
  });

  it('is null for an empty formula', () => {
    expect(exactValue([])).toBeNull();
  });

  it('is worth the same as the tree it was written from', () => {
    type Tree = number | readonly [left: Tree, operator: '+' | '-' | '*' | '/', right: Tree];
    const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.integer({ min: 1, max: 13 }),
        fc.tuple(tie('tree'), fc.constantFrom('+', '-', '*', '/'), tie('tree')),
      ),
    }));
    const written = (part: Tree): Token[] =>
      typeof part === 'number' ? [part] : ['(', ...written(part[0]), part[1], ...written(part[2]), ')'];
    // fractions that are never reduced
    const worth = (part: Tree): [bigint, bigint] | null => {
      if (typeof part === 'number') return [BigInt(part), 1n];
      const [left, right] = [worth(part[0]), worth(part[2])];
      if (!left || !right) return null;
      const [[a, b], [c, d]] = [left, right];
      if (part[1] === '*') return [a * c, b * d];
      if (part[1] === '/') return c === 0n ? null : [a * d, b * c];
      return [part[1] === '+' ? a * d + c * b : a * d - c * b, b * d];
    };
    fc.assert(
      fc.property(tree, (root) => {
        const [expected, value] = [worth(root), exactValue(written(root))];
        expect(value === null).toBe(expected === null);
        if (!value || !expected) return;
        expect(value.numerator * expected[1]).toBe(expected[0] * value.denominator);
        expect(value.denominator > 0n).toBe(true);
      }),
    );
  });
});

describe("a formula as Python's eval takes it", () => {
  // every value was printed by Python 3.11
  it.each<[string, bigint | number]>([
    ['2 4', 24n],
    ['10 2 + 3', 105n],
    ['2 * * 3', 8n],
    ['2 * * 3 * * 2', 512n],
    ['- 2 * * 2', -4n],
    ['( - 2 ) * * 3', -8n],
    ['2 * * - 1', 0.5],
    ['9 / / 2', 4n],
    ['- 9 / / 2', -5n],
    ['( 9 / 2 ) / / 2', 2],
    ['( - 9 / 2 ) / / 2', -3],
    ['1 / / ( 1 / 10 )', 9],
    ['6 / 3', 2],
    ['8 / ( 3 - 8 / 3 )', 23.99999999999999],
    ['_ 2 * 6', 12n],
    ['2 * _ 6', 12n],
    ['2 * 6 _', 12n],
    ['10 10 10 / 7', 101010 / 7],
    ['10 * * 10 * * 1 / ( 3 * * 10 )', 169350.87808430288],
    ['10 * * 10 * 10 * * 10 / 3', 3.333333333333333e19],
  ])('%s is %s', (text, expected) => {
    expect(pythonValue(tokens(text))).toBe(expected);
  });

  it.each([
    '2 _ 4',
    '* 2 * 6',
    '2 * _ * 6',
    '2 ( 3 )',
    '( )',
    '1 / ( 2 - 2 )',
    '5 / / ( 1 - 1 )',
    '( 1 - 1 ) * * - 1',
    '( 1 - 3 ) * * ( 1 / 2 )',
    '10 * * 10 * * 10',
    '_',
  ])('%s has no value', (text) => {
    expect(pythonValue(tokens(text))).toBeNull();
  });
});
