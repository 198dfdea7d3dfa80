import { describe, expect, it } from 'vitest';
import { gathered } from './gathered.ts';

describe('questions that are gathered', () => {
  it('are batched if they arrive together, and each caller gets its own answers', async () => {
    const asked: number[][] = [];
    const ask = gathered(async (items: readonly number[]) => {
      asked.push([...items]);
      return items.map((item) => item * 10);
    });
    const found = await Promise.all([ask([1, 2]), ask([]), ask([3])]);
    expect(found).toEqual([[10, 20], [], [30]]);
    expect(asked).toEqual([[1, 2, 3]]);
    expect(await ask([4])).toEqual([40]);
    expect(asked).toHaveLength(2);
  });

  it('fail together, and later ones are sent again', async () => {
    let isDown = true;
    const ask = gathered(async (items: readonly string[]) => {
      if (isDown) throw new Error('down');
      return items;
    });
    const found = await Promise.allSettled([ask(['a']), ask(['b'])]);
    expect(found.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isDown = false;
    expect(await ask(['a'])).toEqual(['a']);
  });
});
