import { expect, it } from 'vitest';
import { remembered } from './remembered.ts';

it('recomputes only evicted results', () => {
  const computed: number[] = [];
  const square = remembered(
    (x: number) => {
      computed.push(x);
      return x * x;
    },
    { key: String, limit: 2 },
  );
  expect([1, 2, 1, 3, 1, 2].map(square)).toEqual([1, 4, 1, 9, 1, 4]);
  // 3 evicted 2, the least recently used
  expect(computed).toEqual([1, 2, 3, 2]);
});
