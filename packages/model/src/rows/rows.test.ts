import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupByLength, groupInOrder, packRows, rowLength, type TokenRow } from './rows.ts';

const numbers = (data: unknown): number[] => Array.from(data as BigInt64Array, Number);

describe('packRows', () => {
  it('lays out a pair and a shorter row as worked out by hand', () => {
    const rows: TokenRow[] = [
      {
        visual: 2,
        prompt: [1, 5],
        responses: [
          [6, 2],
          [7, 8, 2],
        ],
      },
      { visual: 2, prompt: [1], responses: [[9, 2]] },
    ];
    const { feeds, owners } = packRows(rows, { pad: 0 });
    expect(feeds['tokens']!.shape).toEqual([2, 7]);
    expect(numbers(feeds['tokens']!.data)).toEqual([...[1, 5, 6, 2, 7, 8, 2], ...[1, 9, 2, 0, 0, 0, 0]]);
    expect(numbers(feeds['segments']!.data)).toEqual([
      ...[0, 0, 0, 0, 1, 1, 2, 2, 2],
      ...[0, 0, 0, 1, 1, -1, -1, -1, -1],
    ]);
    // both responses of the first row start at position 4, after 2 visual and 2 prompt positions
    expect(numbers(feeds['position_ids']!.data)).toEqual([
      ...[0, 1, 2, 3, 4, 5, 4, 5, 6],
      ...[0, 1, 2, 3, 4, 0, 0, 0, 0],
    ]);
    expect(numbers(feeds['labels']!.data)).toEqual([6, 2, 7, 8, 2, 9, 2]);
    // a response's first token is predicted at the prompt's end (3; second row: 9 + 2), others at their predecessor
    expect(numbers(feeds['label_positions']!.data)).toEqual([3, 4, 3, 6, 7, 11, 12]);
    expect(owners.map(({ row, response }) => `${row}.${response}`).join(' ')).toBe(
      '0.0 0.0 0.1 0.1 0.1 1.0 1.0',
    );
  });
});

describe('groupByLength', () => {
  const ofLength = (length: number): TokenRow => ({
    visual: 2,
    prompt: new Array<number>(length).fill(1),
    responses: [],
  });

  it('puts rows of one length together and rows of very different lengths apart', () => {
    const rows = [10, 500, 500, 12].map(ofLength);
    // together: 4 · 502; apart: 2 · 502 + 2 · 14, plus the cost of one more run
    expect(groupByLength(rows, { budget: 4096 })).toEqual([
      [1, 2],
      [3, 0],
    ]);
    // of little padding together is cheaper: 4 · 14 against 2 · 14 + 2 · 12 + a run
    expect(groupByLength([10, 12, 12, 10].map(ofLength), { budget: 4096 })).toHaveLength(1);
  });

  it('respects the budget; a row larger than it is alone, and no row is lost', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 30 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 2000 }), (all, budget) => {
        const rows = all.map(ofLength);
        const groups = groupByLength(rows, { budget });
        const size = (group: number[]) =>
          group.length * Math.max(...group.map((index) => rowLength(rows[index]!)));
        for (const group of groups) expect(group.length === 1 || size(group) <= budget).toBe(true);
        expect(groups.flat().sort((a, b) => a - b)).toEqual(rows.map((_, index) => index));
      }),
    );
  });
});

describe('groupInOrder', () => {
  it('splits rows where the longest of a group would exceed the budget', () => {
    const rows = [3, 3, 8, 1, 1].map((length) => ({
      visual: 2,
      prompt: new Array<number>(length).fill(1),
      responses: [],
    }));
    // with 2 visual tokens the lengths are 5, 5, 10, 3, 3: two of 5 make 10; with the 10 they would make 30; 10 and 3 make 2 · 10
    expect(groupInOrder(rows, { budget: 20 })).toEqual([[0, 1], [2, 3], [4]]);
    expect(groupInOrder(rows, { budget: 1 })).toHaveLength(5);
    expect(groupInOrder([], { budget: 20 })).toEqual([]);
  });
});
