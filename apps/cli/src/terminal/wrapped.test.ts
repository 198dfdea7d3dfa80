import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wrapped } from './wrapped.ts';

describe('wrapped text', () => {
  it.each([
    ['go to the fridge 1', 9, 'go to the\nfridge 1'],
    ['go to the fridge 1', 18, 'go to the fridge 1'],
    ['one\n\ntwo', 3, 'one\n\ntwo'],
    ['abcdefg h', 3, 'abc\ndef\ng h'],
    ['', 5, ''],
  ])('breaks %j at %i', (text, width, lines) => {
    expect(wrapped(text, width)).toBe(lines);
  });

  it('indents all lines but the first', () => {
    expect(wrapped('aa bb cc', 5, '   ')).toBe('aa\n   bb\n   cc');
  });

  it('is never wider than the width, and loses no word', () => {
    const texts = fc.stringMatching(/^[a-z ]{0,80}$/);
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, width) => {
        const lines = wrapped(text, width).split('\n');
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });
});
