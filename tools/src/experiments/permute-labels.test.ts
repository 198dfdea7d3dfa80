import { Random } from '@emac/core';
import { expect, test } from 'vitest';
import { permuteLabels } from './permute-labels.ts';

test('labels change places, and nothing else changes', () => {
  const records = Array.from({ length: 20 }, (_, index) => ({
    image: `${index}.png`,
    text_output: `go to shelf ${index}`,
  }));
  const permuted = permuteLabels(records, Random.fromSeed('permuted'));
  expect(permuted.map(({ image }) => image)).toEqual(records.map(({ image }) => image));
  const labels = permuted.map(({ text_output }) => text_output);
  expect(new Set(labels)).toEqual(new Set(records.map(({ text_output }) => text_output)));
  // by chance about one of 20 keeps its place
  expect(labels.filter((label, index) => label === records[index]!.text_output).length).toBeLessThan(6);
});
