/** What reads files and messages of others: a row for each parser, with intact inputs of this repository. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { loadTokenizer, openWeightFiles, readJsonObject } from '@emac/backbone';
import { openDataset } from '@emac/datasets';
import { extractArchive } from '@emac/downloads';
import {
  createFolder,
  encodeSafetensors,
  openSafetensors,
  pack,
  readFloat32,
  readJournal,
  readRecords,
  unpack,
} from '@emac/files';
import { importGguf } from '@emac/gguf';
import { decodeImage, encodeJpeg, encodePng } from '@emac/images';
import { importOnnx } from '@emac/onnx-import';
import {
  createTfRecords,
  decodeExample,
  encodeExample,
  readTfRecords,
  type ExampleFeature,
} from '@emac/rlds';
import { zipSync } from 'fflate';
import type { Parser } from './try-inputs.ts';

export interface Parsers {
  readonly parsers: readonly Parser[];
  dispose(): void;
}

const packages = fileURLToPath(new URL('../../../packages/', import.meta.url));

function files(folder: string, ending: string): Uint8Array[] {
  const place = join(packages, folder);
  return readdirSync(place)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => readFileSync(join(place, name)));
}

/** Every parser; files are written into a temporary folder, which `dispose` removes. */
export async function openParsers(): Promise<Parsers> {
  const folder = mkdtempSync(join(tmpdir(), 'parsers-'));
  /** a parser of files reads the input from a file of this name */
  const fromFile =
    <T>(name: string, read: (path: string) => T) =>
    (input: Uint8Array): T => {
      const path = join(folder, name);
      writeFileSync(path, input);
      return read(path);
    };
  const written = (name: string, write: (path: string) => void): Uint8Array => {
    const path = join(folder, name);
    write(path);
    return readFileSync(path);
  };
  const frame = { width: 5, height: 3, data: Uint8Array.from({ length: 45 }, (_, byte) => byte * 5) };
  const lines = (values: readonly object[]) =>
    Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  const example = encodeExample(
    new Map<string, ExampleFeature>([
      ['a', { kind: 'int64', values: BigInt64Array.of(1n, -1n) }],
      ['b', { kind: 'float', values: Float32Array.of(0.5) }],
      ['c', { kind: 'bytes', values: [Buffer.from('text')] }],
    ]),
  );
  const parsers: Parser[] = [
    {
      name: 'safetensors',
      isText: true,
      share: 150,
      seeds: [
        encodeSafetensors(
          new Map([
            ['a', { dtype: 'F32', shape: [2, 2], data: new Float32Array(4) }],
            ['b', { dtype: 'F16', shape: [3], data: new Uint16Array(3) }],
          ]),
          { format: 'pt' },
        ),
      ],
      read: fromFile('model.safetensors', (path) => {
        const file = openSafetensors(path);
        for (const name of file.tensors.keys()) readFloat32(file, name);
      }),
    },
    {
      name: 'torch',
      isText: false,
      share: 60,
      seeds: files('backbone/fixtures/torch', '.pth'),
      read: (input) => {
        const place = join(folder, 'torch');
        createFolder(place);
        writeFileSync(join(place, 'pytorch_model.bin'), input);
        return openWeightFiles(place);
      },
    },
    {
      name: 'gguf',
      isText: false,
      share: 10,
      seeds: files('gguf/fixtures', '.gguf'),
      read: fromFile('model.gguf', async (file) => {
        const out = join(folder, 'imported');
        try {
          await importGguf({ file, out });
        } finally {
          rmSync(out, { recursive: true, force: true });
        }
      }),
    },
    {
      name: 'tokenizer',
      isText: true,
      share: 40,
      seeds: ['llama', 'gemma3_text', 'qwen2'].map((name) =>
        readFileSync(join(packages, 'backbone/fixtures/text', name, 'tokenizer.json')),
      ),
      read: fromFile('tokenizer.json', (path) => {
        const tokenizer = loadTokenizer(path);
        return tokenizer.decode(tokenizer.encode('Say this, é ½.', { special: true }));
      }),
    },
    {
      name: 'json',
      isText: true,
      share: 100,
      seeds: [readFileSync(join(packages, 'backbone/fixtures/text/qwen2/config.json'))],
      read: fromFile('config.json', readJsonObject),
    },
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
    {
      name: 'onnx',
      isText: false,
      share: 40,
      seeds: files('small-networks/fixtures', '.onnx').concat(
        ['mlp.onnx', 'attention.onnx'].map((name) =>
          readFileSync(join(packages, 'onnx-import/src/fixtures', name)),
        ),
      ),
      read: (input) => importOnnx(input),
    },
  ];
  return { parsers, dispose: () => rmSync(folder, { recursive: true, force: true }) };
}
