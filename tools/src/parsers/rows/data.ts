/** Pictures, records, datasets and archives. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openDataset } from '@emac/datasets';
import { extractArchive } from '@emac/downloads';
import { pack, readJournal, readRecords, unpack } from '@emac/files';
import { decodeImage, encodeJpeg, encodePng } from '@emac/images';
import {
  createTfRecords,
  decodeExample,
  encodeExample,
  readTfRecords,
  type ExampleFeature,
} from '@emac/rlds';
import { zipSync } from 'fflate';
import type { Parser } from '../try-inputs.ts';
import { files, lines, type Place } from './place.ts';

const frame = { width: 5, height: 3, data: Uint8Array.from({ length: 45 }, (_, byte) => byte * 5) };
const example = encodeExample(
  new Map<string, ExampleFeature>([
    ['a', { kind: 'int64', values: BigInt64Array.of(1n, -1n) }],
    ['b', { kind: 'float', values: Float32Array.of(0.5) }],
    ['c', { kind: 'bytes', values: [Buffer.from('text')] }],
  ]),
);

export async function dataRows({ folder, fromFile, written }: Place): Promise<Parser[]> {
  return [
    {
      name: 'png',
      isText: false,
      share: 60,
      seeds: [await encodePng(frame)],
      read: (input) => decodeImage(input),
    },
    {
      name: 'jpeg',
      isText: false,
      share: 60,
      seeds: [await encodeJpeg(frame)],
      read: (input) => decodeImage(input),
    },
    {
      name: 'msgpack',
      isText: false,
      share: 150,
      seeds: [pack({ a: [1, 2.5, 'text', null], b: new Uint8Array(5), c: { d: true } })],
      read: unpack,
    },
    {
      name: 'journal',
      isText: true,
      shape: 'lines',
      share: 80,
      seeds: [lines([{ a: 1 }, { b: 'text' }, { c: [null] }])],
      read: fromFile('journal.jsonl', readJournal),
    },
    {
      name: 'records',
      isText: false,
      share: 80,
      seeds: [Buffer.from([3, 0, 0, 0, 1, 2, 3, 1, 0, 0, 0, 9])],
      read: (input) => fromFile('records', (path) => readRecords(path, input.length, () => undefined))(input),
    },
    {
      name: 'jsonl',
      isText: true,
      shape: 'lines',
      share: 60,
      seeds: [
        lines([
          {
            messages: [
              { role: 'user', content: 'Hi' },
              { role: 'assistant', content: 'Yes.' },
            ],
          },
          {
            messages: [
              { role: 'user', content: 'Go' },
              { role: 'assistant', content: 'No.' },
            ],
          },
        ]),
        lines([{ prompt: 'a', completion: 'b' }]),
        lines([{ prompt: 'a', chosen: 'b', rejected: 'c' }]),
      ],
      read: fromFile('data.jsonl', (path) => {
        const dataset = openDataset(path, { flag: '--data', images: null });
        try {
          for (let record = 0; record < dataset.length; record++) dataset.record(record);
        } finally {
          dataset.close();
        }
      }),
    },
    {
      name: 'parquet',
      isText: false,
      share: 0.1,
      seeds: files('datasets/fixtures', '.parquet'),
      read: fromFile('data.parquet', (path) => openDataset(path, { flag: '--data', images: null }).close()),
    },
    {
      name: 'tfrecord',
      isText: false,
      share: 50,
      seeds: [
        written('seed.tfrecord', (path) => {
          const file = createTfRecords(path);
          file.write(example);
          file.close();
        }),
      ],
      read: fromFile('data.tfrecord', async (path) => {
        for await (const { data } of readTfRecords(path)) decodeExample(data);
      }),
    },
    { name: 'example', isText: false, share: 100, seeds: [example], read: (input) => decodeExample(input) },
    {
      name: 'archive',
      isText: false,
      share: 10,
      seeds: [
        zipSync({ 'a/b.txt': Buffer.from('text'), 'c.txt': Buffer.from('x'.repeat(100)) }),
        gzipSync(Buffer.alloc(1024)),
      ],
      read: fromFile('archive', async (path) => {
        const out = join(folder, 'unpacked');
        try {
          await extractArchive(path, out, { limits: { entries: 100, bytes: 2 ** 20 } });
        } finally {
          rmSync(out, { recursive: true, force: true });
        }
      }),
    },
  ];
}
