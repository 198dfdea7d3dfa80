import { expect, it } from 'vitest';
import { patternFits } from './pattern-fits.ts';

it('says whether a text fits', () => {
  expect(patternFits('^It is \\d+$', 'It is 12', { place: 'task 1' })).toBe(true);
  expect(patternFits('^It is \\d+$', 'It is', { place: 'task 1' })).toBe(false);
});

it('ends an expression that doubles its time with each letter', () => {
  expect(() =>
    patternFits('^(?:[a-z ]+)+X$', 'a'.repeat(200), { place: 'task 1, check', milliseconds: 50 }),
  ).toThrow(/^task 1, check: the expression .* takes more than 0.05 s on a text of 200 characters; write it/);
});
