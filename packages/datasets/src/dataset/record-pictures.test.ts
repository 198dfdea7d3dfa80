/** Pictures in the forms that people have them in, and conversations with two, held against transformers (tools/reference/write_pictures.py). */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openModelFiles } from '@emac/backbone';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { examine, recordReader } from './examine-data.ts';
import { openDataset } from './offline-dataset.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const models = fileURLToPath(new URL('../../../backbone/fixtures/', import.meta.url));
const reference = JSON.parse(readFileSync(join(fixtures, 'pictures.json'), 'utf8')) as {
  readonly row: { readonly messages: readonly object[]; readonly images: readonly string[] };
  readonly families: Readonly<Record<string, { readonly image: number; readonly ids: readonly number[] }>>;
};
const { messages, images } = reference.row;
const [first, second] = images as [string, string];
const folder = temporaryFolder();
copyFileSync(join(fixtures, 'pictures.parquet'), join(folder, 'pictures.parquet'));
writeFileSync(join(folder, 'a.png'), Buffer.from(first, 'base64'));

const opened = (record: object | string) => {
  const path = typeof record === 'string' ? record : join(folder, 'a.jsonl');
  if (typeof record !== 'string') writeFileSync(path, JSON.stringify(record));
  return openDataset(path, { flag: '--data', images: null });
};
const sizesOf = async (record: object | string) => {
  const dataset = opened(record);
  dataset.requirePictures(true);
  const frames = await Promise.all(dataset.pictures(0).map(({ frame }) => frame()));
  dataset.close();
  return frames.map(({ width, height }) => [width, height]);
};
const faultOf = (record: object) => () => opened(record).close();

/** of the two pictures, as the script draws them */
const sizes = [
  [60, 44],
  [33, 80],
];
const answer = { role: 'assistant', content: 'go' };
const asked = (...parts: object[]) => ({ messages: [{ role: 'user', content: parts }, answer] });
const place = { type: 'image' };

describe('pictures of a record', () => {
  it.each([
    ['{bytes, path} of datasets', join(folder, 'pictures.parquet')],
    ['base64', { messages, images }],
    ['data URLs', { messages, images: images.map((each) => `data:image/png;base64,${each}`) }],
    ['a file and bytes', { messages, images: ['a.png', { bytes: second, path: 'no.png' }] }],
    ['the messages', asked({ ...place, image: 'a.png' }, { ...place, base64: second })],
    [
      'the messages, as OpenAI has them',
      asked(
        ...images.map((each) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${each}` } })),
      ),
    ],
    ['the published form', { text_input: 'a', text_output: 'b', images }],
  ])('are read from %s', async (_, record) => {
    expect(await sizesOf(record)).toEqual(sizes);
  });

  it.each([
    [{ messages, images: [first] }, 'must have a place {"type": "image"} for each picture, got 2 for 1'],
    [{ messages, images: ['https://a.b/c.png', first] }, 'images[0]: is an address (https://a.b/c.png)'],
    [
      { messages, images: [first, 3] },
      "images[1]: must be a file's name, a data URL, base64 or {bytes, path}",
    ],
    [{ messages, images: first }, 'images: must be a list of pictures'],
    [{ messages, images, image: 'a.png' }, 'images: image stands beside it'],
    [
      { ...asked({ ...place, image: 'a.png' }), images },
      'messages: hold pictures, and others stand beside them',
    ],
    [
      { prompt: 'a', chosen: asked(place).messages, rejected: asked(place).messages, images: [first] },
      'rejected: must hold no picture',
    ],
  ])('that do not fit are refused by name: %#', (record, message) => {
    expect(faultOf(record)).toThrow(message);
  });

  it('are refused by a model that reads texts alone', () => {
    const files = openModelFiles(join(models, 'text', 'qwen2'));
    for (const record of [
      { messages, images },
      { messages: [{ role: 'user', content: 'a' }, answer], images },
    ]) {
      const dataset = opened(record);
      const found = examine(dataset, { reader: recordReader(files), turns: 'all' });
      expect(found.unusable.first[0]?.reason).toContain('has pictures, and the model reads texts alone');
      dataset.close();
    }
  });
});

describe('a conversation with two pictures', () => {
  it.each(Object.entries(reference.families))('has the ids of transformers: %s', (family, { image, ids }) => {
    const reader = recordReader(openModelFiles(join(models, 'families', family)));
    const dataset = opened(join(folder, 'pictures.parquet'));
    const { tokens, before, scored } = reader.read(dataset.record(0), 'all');
    dataset.close();
    const texts = ids.filter((id) => id !== image);
    const places = ids.flatMap((id, at) =>
      id === image ? [ids.slice(0, at).filter((each) => each !== image).length] : [],
    );
    expect(tokens).toEqual(texts);
    expect(before.length).toBe(2);
    expect([...new Set(before)]).toEqual([...new Set(places)]);
    expect(reader.textOf(tokens.filter((_, at) => scored[at]))).toMatch(/^\s*go/);
  });

  it('puts pictures without a place first in the first message of the user', () => {
    const reader = recordReader(openModelFiles(join(models, 'families', 'qwen2_vl')));
    const read = (record: object) => {
      const dataset = opened(record);
      const found = reader.read(dataset.record(0), 'all');
      dataset.close();
      return found;
    };
    const system = { role: 'system', content: 'Say it.' };
    const plain = { messages: [system, { role: 'user', content: 'a b' }, answer], images };
    const placed = [place, place, { type: 'text', text: 'a b' }];
    expect(read(plain)).toEqual(
      read({ messages: [system, { role: 'user', content: placed }, answer], images }),
    );
  });
});
