/** Invalid folders, each changed in one way from a folder written by TensorFlow Datasets. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDataset } from './open-dataset.ts';

const tabletop = fileURLToPath(new URL('../../fixtures/tabletop/1.0.0', import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rlds-'));
  cpSync(tabletop, join(folder, '1.0.0'), { recursive: true });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, '1.0.0', name);

function change(name: string, edit: (text: string) => string): void {
  const text = readFileSync(at(name), 'utf8');
  const edited = edit(text);
  expect(edited).not.toBe(text);
  writeFileSync(at(name), edited);
}

async function count(split: string): Promise<number> {
  let episodes = 0;
  for await (const _ of openDataset(folder).examples(split)) episodes++;
  return episodes;
}

describe('a folder', () => {
  it("is a version's folder, or its parent with one version", async () => {
    expect(openDataset(folder).folder).toBe(join(folder, '1.0.0'));
    expect(openDataset(join(folder, '1.0.0')).version).toBe('1.0.0');
    expect(await count('train')).toBe(4);
  });

  it('with several versions is an error that names them', () => {
    cpSync(tabletop, join(folder, '2.0.0'), { recursive: true });
    expect(() => openDataset(folder)).toThrow('it is in 1.0.0, 2.0.0; give one of these');
  });

  it('without a version, or absent, is missing', () => {
    mkdirSync(join(folder, 'empty'));
    for (const path of ['empty', 'none'])
      expect(() => openDataset(join(folder, path))).toThrow(expect.objectContaining({ code: 'missing' }));
  });
});

describe('dataset_info.json', () => {
  it.each<readonly [string, (text: string) => string, string]>([
    ['is no JSON', (text) => text.slice(1), 'must be JSON'],
    ['has no name', (text) => text.replace('"name": "tabletop"', '"other": 1'), 'name: '],
    ['has files of another format', (text) => text.replace('"tfrecord"', '"array_record"'), 'fileFormat: '],
    ['has a length that is none', (text) => text.replace('"2"', '"two"'), 'splits.0.shardLengths.0: '],
  ])('that %s is rejected', (_, edit, message) => {
    change('dataset_info.json', edit);
    expect(() => openDataset(folder)).toThrow(expect.objectContaining({ code: 'data' }));
    expect(() => openDataset(folder)).toThrow(message);
  });

  it('that leads to other folders is rejected', async () => {
    change('dataset_info.json', (text) => text.replaceAll('{DATASET}-', '../{DATASET}-'));
    await expect(count('train')).rejects.toMatchObject({ code: 'data' });
  });

  it('may have its own file names, or by default the usual ones', async () => {
    change('dataset_info.json', (text) =>
      text.replaceAll('-{SHARD_X_OF_Y}', '-{SHARD_INDEX}-of-{NUM_SHARDS}'),
    );
    expect(await count('val')).toBe(2);
    change('dataset_info.json', (text) => text.replaceAll(/"filepathTemplate": "[^"]*",/g, ''));
    expect(await count('val')).toBe(2);
  });

  it.each(['1', '3'])('that states %s records instead of 2 is rejected', async (stated) => {
    change('dataset_info.json', (text) => text.replace('"2"', `"${stated}"`));
    const message = `must hold ${stated} records, as dataset_info.json says, holds 2`;
    await expect(count('train')).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining(message) as string,
    });
  });

  it('has the existing splits', () => {
    expect(() => openDataset(folder).examples('test')).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining('must be one of train, val, got test') as string,
      }),
    );
  });
});

describe('features.json', () => {
  it.each<readonly [string, (text: string) => string, string]>([
    [
      'has a class that is not known',
      (text) => text.replace('text_feature.Text', 'x.Translation'),
      'it is Translation',
    ],
    ['is of old versions', (text) => text.replaceAll('pythonClassName', 'type'), 'pythonClassName: '],
    [
      'has another type of numbers',
      (text) => text.replace('"float32"', '"complex64"'),
      'steps: action: tensor.dtype: ',
    ],
    [
      'has a shape that is none',
      (text) => text.replace('"7"', '"-7"'),
      'steps: action: tensor.shape.dimensions.0: ',
    ],
  ])('that %s is rejected', (_, edit, message) => {
    change('features.json', edit);
    expect(() => openDataset(folder)).toThrow(expect.objectContaining({ code: 'data' }));
    expect(() => openDataset(folder)).toThrow(message);
  });
});

it('a damaged record, or a missing file, is named', async () => {
  const shard = at('tabletop-train.tfrecord-00001-of-00002');
  const bytes = readFileSync(shard);
  bytes[bytes.length - 100]! ^= 1;
  writeFileSync(shard, bytes);
  await expect(count('train')).rejects.toMatchObject({
    code: 'data',
    message: expect.stringContaining(`${shard}: the record at byte `) as string,
  });
  rmSync(shard);
  await expect(count('train')).rejects.toMatchObject({
    code: 'missing',
    message: expect.stringContaining(shard) as string,
  });
});
