/** A dataset written by TensorFlow Datasets, and its own reading of it; both made by `tools/reference/write_rlds.py`. */
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
  'reads every number, text and picture of %s as TensorFlow does',
  async (split) => {
    const episodes: Shown[] = [];
    for await (const { value } of dataset.examples(split)) episodes.push(shownValue(dataset.features, value));
    expect(episodes).toEqual(expected.splits[split]);
  },
);
