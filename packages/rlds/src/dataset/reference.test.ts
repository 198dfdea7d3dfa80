/** A dataset that TensorFlow Datasets wrote, and what it reads from it itself: `tools/reference/write_rlds.py` made both. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { shownValue, type Shown } from './shown.test.data.ts';
import { openDataset } from './open-dataset.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));

interface Expected {
  readonly name: string;
  readonly version: string;
  readonly splits: Readonly<Record<string, readonly Shown[]>>;
}

const expected = JSON.parse(readFileSync(`${fixtures}expected.json`, 'utf8')) as Expected;
const dataset = openDataset(`${fixtures}tabletop`);

it('has the name, version and splits of the dataset', () => {
  const { name, version } = dataset;
  expect({ name, version }).toEqual({ name: expected.name, version: expected.version });
  expect(dataset.splits.map((split) => [split.name, split.shardLengths])).toEqual([
    ['train', [2, 2]],
    ['val', [1, 1]],
  ]);
});

it.each(Object.keys(expected.splits))(
  'reads of %s every number, text and picture that TensorFlow reads',
  async (split) => {
    const episodes: Shown[] = [];
    for await (const { value } of dataset.examples(split)) episodes.push(shownValue(dataset.features, value));
    expect(episodes).toEqual(expected.splits[split]);
  },
);
