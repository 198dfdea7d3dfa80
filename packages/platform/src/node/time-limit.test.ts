import { expect, it } from 'vitest';
import { withinTime } from './time-limit.ts';

it('ends a regular expression that would take longer than the universe', () => {
  expect(withinTime(50, () => /(?:[a-z ]+)+X/u.test('a'.repeat(200)))).toBeNull();
});

it('gives what code in time returns or throws', () => {
  const list = [1, 2];
  expect(withinTime(60_000, () => list)?.value).toBe(list);
  expect(() =>
    withinTime(60_000, () => {
      throw new RangeError('three');
    }),
  ).toThrow(RangeError);
});
