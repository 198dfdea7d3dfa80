import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { lengthGroups } from './length-groups.ts';

/** Computed positions, padding included, plus the cost of further runs. */
const costOf = (groups: readonly (readonly number[])[], lengths: readonly number[], runCost: number) =>
  groups.reduce(
    (cost, group) => cost + group.length * Math.max(...group.map((place) => lengths[place]!)),
    runCost * (groups.length - 1),
  );

/** All ways to split a list. */
function cuts(list: readonly number[]): number[][][] {
  if (list.length === 0) return [[]];
  return list.flatMap((_, index) =>
    cuts(list.slice(index + 1)).map((rest) => [list.slice(0, index + 1), ...rest]),
  );
}

describe('length groups', () => {
  it('join prompts if padding costs less than another run', () => {
    // together 4 · 100 = 400; split after the two short ones 2 · 12 + 2 · 100 = 224, and another run
    const lengths = [100, 10, 90, 12];
    expect(lengthGroups(lengths, 175)).toEqual([
      [1, 3],
      [2, 0],
    ]);
    expect(lengthGroups(lengths, 177)).toEqual([[1, 3, 2, 0]]);
    expect(lengthGroups(lengths, 0)).toEqual([[1], [3], [2], [0]]);
  });

  it('join all prompts if padding never costs more than another run', () => {
    expect(lengthGroups([7, 1, 3], Infinity)).toEqual([[1, 2, 0]]);
    expect(lengthGroups([5, 5, 5], 1)).toEqual([[0, 1, 2]]);
    expect(lengthGroups([9], 4)).toEqual([[0]]);
    expect(lengthGroups([], 4)).toEqual([]);
  });

  it('cost no more than any other split of the sorted prompts', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 0, max: 60 }), (each, runCost) => {
        const groups = lengthGroups(each, runCost);
        expect(groups.flat().sort()).toEqual(each.map((_, place) => place).sort());
        const sorted = each.map((_, place) => place).sort((a, b) => each[a]! - each[b]!);
        const cheapest = Math.min(...cuts(sorted).map((cut) => costOf(cut, each, runCost)));
        expect(costOf(groups, each, runCost)).toBe(cheapest);
      }),
    );
  });
});
