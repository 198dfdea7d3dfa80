import { LostEpisode } from '@emac/core';
import { expect, it } from 'vitest';
import { patternFits } from './pattern-fits.ts';

it('says whether a text fits', () => {
  expect(patternFits('^It is \\d+$', 'It is 12', { place: 'task 1' })).toBe(true);
  expect(patternFits('^It is \\d+$', 'It is', { place: 'task 1' })).toBe(false);
});

it('loses the episode of an expression that doubles its time with each letter', () => {
  const fits = () =>
    patternFits('^(?:[a-z ]+)+X$', 'a'.repeat(200), { place: 'task 1, check', milliseconds: 50 });
  expect(fits).toThrow(LostEpisode);
  expect(fits).toThrow(
    /^task 1, check: the expression .* takes more than 0.05 s on a text of 200 characters; write it/,
  );
});
