import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AskedItem } from './messages.ts';
import { withinSize } from './request-sizes.ts';

/** The requests as single pictures, in order. */
const asked = (items: readonly AskedItem[]) =>
  items.flatMap(({ candidate_paths: names, question }) => names.map((name) => [name, question]));
const bytes = (batch: readonly AskedItem[]) => Buffer.byteLength(JSON.stringify({ batch }));

describe('withinSize', () => {
  it('keeps items together if they fit', () => {
    const items = [
      { candidate_paths: ['a', 'b'], question: 'first' },
      { candidate_paths: ['c'], question: 'second' },
    ];
    expect(withinSize(items)).toEqual([items]);
    expect(withinSize([])).toEqual([]);
  });

  it('splits an item with large pictures over several requests', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(400));
    const items = [{ candidate_paths: [a!, b!, c!], question: 'which' }];
    // 2 · 403 + 7 + 64 = 877
    expect(withinSize(items, 877)).toEqual([
      [{ candidate_paths: [a, b], question: 'which' }],
      [{ candidate_paths: [c], question: 'which' }],
    ]);
    expect(withinSize(items, 876)).toHaveLength(3);
  });

  it('sends everything once, in order, in requests that are small enough or hold one picture', () => {
    const item = fc.record({
      candidate_paths: fc.array(
        fc.nat(300).map((length) => 'x'.repeat(length)),
        { minLength: 1, maxLength: 6 },
      ),
      question: fc.string({ maxLength: 20, unit: 'grapheme' }),
    });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), fc.integer({ min: 200, max: 1000 }), (items, most) => {
        const requests = withinSize(items, most);
        expect(asked(requests.flat())).toEqual(asked(items));
        for (const batch of requests)
          if (asked(batch).length > 1) expect(bytes(batch)).toBeLessThanOrEqual(most);
      }),
    );
  });
});
