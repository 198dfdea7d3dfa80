/** Reads a folder of TensorFlow Datasets, writes it with this package and compares, with other file sizes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeFeatures } from '../features/encode.ts';
import { tensorFeature, type Feature, type Value } from '../features/feature.ts';
import { featuresJson, readFeatures } from '../features/features-json.ts';
import { decodeExample, encodeExample, type ExampleFeature } from '../records/example.ts';
import { readTfRecords } from '../records/tfrecord-read.ts';
import { openDataset } from './open-dataset.ts';
import { writeDataset } from './write-dataset.ts';

const tabletop = fileURLToPath(new URL('../../fixtures/tabletop/1.0.0', import.meta.url));
const dataset = openDataset(tabletop);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rlds-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function examples(of: typeof dataset, split: string): Promise<Value[]> {
  const values: Value[] = [];
  for await (const { value } of of.examples(split)) values.push(value);
  return values;
}

/** Compressed bytes depend on the program, so their unpacked content is compared. */
function unpacked(features: ReadonlyMap<string, ExampleFeature>): [string, unknown][] {
  return [...features]
    .map(([name, { kind, values }]): [string, unknown] => [
      name,
      name.endsWith('depth')
        ? (values as Uint8Array[]).map((bytes) => Uint8Array.from(inflateSync(bytes)))
        : { kind, values },
    ])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

describe('a dataset written by TensorFlow Datasets', () => {
  it('gives the same features.json', () => {
    const json: unknown = JSON.parse(readFileSync(join(tabletop, 'features.json'), 'utf8'));
    expect(featuresJson(readFeatures(json, 'features.json'))).toEqual(json);
  });

  it.each(['train-00000-of-00002', 'train-00001-of-00002', 'val-00000-of-00002', 'val-00001-of-00002'])(
    'gives the same list for every feature: %s',
    async (shard) => {
      const [split, place] = [shard.split('-')[0]!, shard.slice(shard.indexOf('-'))];
      const all = await examples(dataset, split);
      let at = shard.includes('00001-') ? all.length / 2 : 0;
      for await (const { data } of readTfRecords(join(tabletop, `tabletop-${split}.tfrecord${place}`))) {
        const ours = decodeExample(encodeExample(encodeFeatures(dataset.features, all[at++]!, 'again')));
        expect(unpacked(ours)).toEqual(unpacked(decodeExample(data)));
      }
      expect(at).toBe(shard.includes('00001-') ? all.length : all.length / 2);
    },
  );

  it("reads the same from this package's files", async () => {
    const home = join(folder, 'tabletop', '1.0.0');
    const [train, val] = [await examples(dataset, 'train'), await examples(dataset, 'val')];
    await writeDataset(home, {
      name: 'tabletop',
      features: dataset.features,
      perFile: 3,
      splits: { train, val },
    });
    const again = openDataset(home);
    const written = again.splits.map(({ name, shardLengths, bytes }) => ({ name, shardLengths, bytes }));
    expect(written.map(({ name, shardLengths }) => [name, shardLengths])).toEqual([
      ['train', [3, 1]],
      ['val', [2]],
    ]);
    expect(await examples(again, 'train')).toEqual(train);
    expect(await examples(again, 'val')).toEqual(val);
    expect(readdirSync(home).sort()).toEqual([
      'dataset_info.json',
      'features.json',
      'tabletop-train.tfrecord-00000-of-00002',
      'tabletop-train.tfrecord-00001-of-00002',
      'tabletop-val.tfrecord-00000-of-00001',
    ]);
    // TensorFlow Datasets counts data alone, without the 16 framing bytes of each record
    const sizes = readdirSync(home).map((name) =>
      name.includes('train') ? readFileSync(join(home, name)).length : 0,
    );
    expect(written[0]?.bytes).toBe(sizes.reduce((sum, size) => sum + size) - 4 * 16);
  });
});

const features: Feature = {
  kind: 'dict',
  features: {
    steps: {
      kind: 'dataset',
      feature: {
        kind: 'dict',
        features: { action: tensorFeature('float32', [2]), mode: tensorFeature('int8') },
      },
    },
    picture: { kind: 'image', shape: [null, null, 3], dtype: 'uint8', encoding: 'png' },
    words: { kind: 'sequence', feature: { kind: 'text' }, length: 2 },
  },
};
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
const good = {
  steps: [{ action: { shape: [2], data: Float32Array.of(1, 2) }, mode: 3 }],
  picture: png,
  words: ['a', 'b'],
} satisfies Value;

describe('a value that does not match the features', () => {
  const cases: readonly (readonly [string, Value, string])[] = [
    ['steps that are none', { ...good, steps: 3 }, 'steps: must be a list, got 3'],
    ['an absent feature', { picture: png, words: ['a', 'b'] }, 'episode: must have steps'],
    ['one too many', { ...good, more: 1 }, 'episode: must have steps, picture, words alone, got more'],
    [
      'a list of numbers',
      { ...good, steps: [{ action: [1, 2], mode: 1 }] },
      'steps/action: must be {shape, data}, got a list',
    ],
    [
      'another shape',
      { ...good, steps: [{ action: { shape: [3], data: new Float32Array(3) }, mode: 1 }] },
      'steps/action: must have shape [2], got [3] with 3 values',
    ],
    [
      'another type',
      { ...good, steps: [{ action: { shape: [2], data: new Float64Array(2) }, mode: 1 }] },
      'steps/action: must hold float32, got Float64Array',
    ],
    [
      'a number out of range',
      { ...good, steps: [{ ...good.steps[0]!, mode: 128 }] },
      'steps/mode: must be numbers of int8, one is 128',
    ],
    [
      'a JPEG file',
      { ...good, picture: Uint8Array.of(0xff, 0xd8, 0xff) },
      'picture: must be the bytes of a png file, got jpeg',
    ],
    ['another length', { ...good, words: ['a'] }, 'words: must have 2 elements, got 1'],
    ['a number for a text', { ...good, words: ['a', 1] }, 'words: must be a text, got 1'],
  ];

  it.each(cases)('is rejected: %s', async (_, value, message) => {
    const home = join(folder, 'made');
    const making = writeDataset(home, { name: 'made', features, splits: { train: [good, value] } });
    await expect(making).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining(`split train, example 1: ${message}`) as string,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['name', { name: 'a/b' }],
    ['version', { version: '1' }],
    ['split', { splits: { '../x': [] } }],
    ['perFile', { perFile: 0 }],
  ])('a %s that is no valid file name is rejected', async (what, other) => {
    const making = writeDataset(join(folder, 'made'), { name: 'made', features, splits: {}, ...other });
    await expect(making).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`writeDataset: ${what}: must be`) as string,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('an existing folder is left alone', async () => {
    const making = writeDataset(folder, { name: 'made', features, splits: {} });
    await expect(making).rejects.toMatchObject({ code: 'cannot-create' });
  });
});
