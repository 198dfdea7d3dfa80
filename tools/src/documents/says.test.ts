import { expect, it } from 'vitest';
import { says } from './run-blocks.ts';

it('finds a line whose longer decimals differ by one in the last at most', () => {
  const printed = new Set(['train', 'round 1: 2 of 3 won, loss 0.000622', 'end']);
  expect(says(printed, 'round 1: 2 of 3 won, loss 0.000622')).toBe(true);
  expect(says(printed, 'round 1: 2 of 3 won, loss 0.000623')).toBe(true);
  expect(says(printed, 'round 1: 2 of 3 won, loss 0.000624')).toBe(false);
  expect(says(printed, 'round 1: 2 of 3 won, loss 0.00062')).toBe(false);
  expect(says(printed, 'round 1: 3 of 3 won, loss 0.000622')).toBe(false);
});
