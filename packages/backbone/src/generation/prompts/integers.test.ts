import { expect, it } from 'vitest';

import { integers } from './integers.ts';

it('32-bit integers become the same 64-bit integers, positive and negative', () => {
  const { type, shape, data } = integers([0, -1, 7, 2 ** 31 - 1, -(2 ** 31), -2], [2, 3]);
  expect([type, shape]).toEqual(['int64', [2, 3]]);
  expect(data).toEqual(BigInt64Array.of(0n, -1n, 7n, 2_147_483_647n, -2_147_483_648n, -2n));
});
