import { expect, it } from 'vitest';
import { withinLimit } from './said-sample.ts';

const written = { tokens: [5, 6, 7, 8, 9], before: [1], scored: [false, false, true, true, true] };

it('cuts a record at its end, and refuses one that has no target or picture left', () => {
  const cut = (tokens: number) => withinLimit(written, { tokens, longer: 'cut', equal: 'drop' });
  expect(cut(5)).toBe(written);
  expect(cut(4)).toEqual({ tokens: [5, 6, 7, 8], before: [1], scored: [false, false, true, true] });
  expect(() => cut(2)).toThrow(
    'needs an answer to learn and all pictures within 2 tokens (--max-record-tokens), has 5',
  );
  expect(() => withinLimit({ ...written, before: [4] }, { tokens: 4, longer: 'cut', equal: 'drop' })).toThrow(
    'all pictures',
  );
  expect(() => withinLimit(written, { tokens: 4, longer: 'refuse', equal: 'drop' })).toThrow(
    'must have at most 4 tokens (--max-record-tokens), has 5',
  );
});
