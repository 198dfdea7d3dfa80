import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pythonText } from './python-text.ts';
import { pythonValue, type PythonValue } from './python-literal.ts';

describe('Python literals', () => {
  // right-hand sides: results of ast.literal_eval, with tuples and sets as lists
  it.each<[string, PythonValue]>([
    ['None', null],
    ['True', true],
    [' [1, -2.5, 1e3, ] ', [1, -2.5, 1000]],
    ["('a',)", ['a']],
    ["('a')", 'a'],
    ['()', []],
    ["{'a', 'b'}", ['a', 'b']],
    [String.raw`'it\'s \x41\u00e9\U0001F600\n\q'`, "it's Aé😀\n\\q"],
    [String.raw`r'\n' "b"`, '\\nb'],
    ['"""a"b\nc"""', 'a"b\nc'],
    [String.raw`b'\x00z'`, '\0z'],
    ['123456789012345678901', 123456789012345678901n],
    ['1_000', 1000],
  ])('reads %s', (text, value) => {
    expect(pythonValue(text)).toEqual(value);
  });

  it('reads dictionaries, with keys as printed text', () => {
    const read = pythonValue("{'won': [False], 1: {'extra.gamefile': ['/a/b/game.tw-pddl']}}");
    expect(read).toEqual(
      new Map<string, PythonValue>([
        ['won', [false]],
        ['1', new Map([['extra.gamefile', ['/a/b/game.tw-pddl']]])],
      ]),
    );
  });

  it.each([
    ['', 'has no value here'],
    ['[1 2]', 'needs , or ]'],
    ["'a", 'ends within a string'],
    ["'a\nb'", 'breaks a line'],
    ['{1: 2, 3}', 'mixes'],
    ['__import__', 'not a literal'],
    ['open("x")', 'not a literal'],
    ['[1]x', 'ends before this'],
    [String.raw`'\x4'`, 'without 2 digits'],
    [String.raw`'\U00110000'`, 'without 8 digits'],
    ['['.repeat(100), 'nested deeper than 32'],
    ['array([1])', 'not a literal'],
    [`[${'1,'.repeat(200_000)}]`, 'more than 200000 values'],
  ])('refuses %s', (text, why) => {
    expect(() => pythonValue(text)).toThrow(why);
  });

  it('reads its own output', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(pythonValue(pythonText(text))).toBe(text);
      }),
    );
  });

  it('answers every text with a value or a data error', () => {
    const characters = fc.constantFrom(...`[](){}'",:\\ \nxuUbr0189.eE+-_TrueNone`);
    fc.assert(
      fc.property(fc.string({ unit: characters }), (text) => {
        try {
          pythonValue(text);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'data' });
        }
      }),
    );
  });
});
