import { Random } from '@emac/core';
import { expect, it } from 'vitest';
import type { EncodedRow } from './encoded-row.ts';
import { batchesOf } from './row-batches.ts';
import type { BatchPart } from './slot-model.ts';

/** Rows of two slots, of which the second has a class alone; classes are 10, 20, … and 11, 21, … */
const rows = Array.from({ length: 400 }, (_, index): EncodedRow => {
  const first = 10 * (index + 1);
  return {
    slots: Int32Array.of(first, 7, 8, first + 1, -1, -1),
    ids: Int32Array.of(1, 2),
    lessons: Uint8Array.of(0, 0),
  };
});

function partOf(): BatchPart {
  const options = {
    tokensPerBatch: 1e6,
    parts: 1,
    padId: 3,
    endId: 2,
    observationWeight: 0.15,
    width: 4,
    blur: 0.8,
  };
  const [make] = batchesOf(rows, options, Random.fromSeed('blur'));
  return make!().parts[0]!;
}

it('blurs half of the rows: as a slot holds more of another word, up to 0.8, it keeps 1 − half of that', () => {
  const { slots, strengths } = partOf();
  let blurred = 0;
  const doubts: number[] = [];
  for (let row = 0; row < rows.length; row++) {
    const [one, two] = [8 * row, 8 * row + 4];
    const [doubt, other] = [strengths[one + 3]!, strengths[two + 3]!];
    const expected = [1 - doubt / 2, 1 - doubt / 2, 1 - doubt / 2, doubt, 1 - other / 2, 0, 0, other];
    expected.forEach((value, at) => expect(strengths[one + at]).toBeCloseTo(value, 6));
    for (const at of [one + 3, two + 3]) expect([0n, 1n]).toContain(slots[at]! % 10n);
    doubts.push(doubt, other);
    if (doubt > 0) blurred++;
  }
  // 200 ± four standard deviations
  expect(Math.abs(blurred - 200)).toBeLessThan(4 * Math.sqrt(400 / 4));
  expect(Math.max(...doubts)).toBeLessThan(0.8);
  // 0.5 · 0.8 · E[u] E[v] = 0.1, with a standard error below 0.16 / √400
  const mean = doubts.reduce((sum, doubt) => sum + doubt, 0) / doubts.length;
  expect(Math.abs(mean - 0.1)).toBeLessThan(0.032);
});
