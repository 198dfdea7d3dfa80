/**
 * TensorFlow Datasets itself, in a separate process, reads this package's output: every number, text and picture. Skipped if the Python
 * of `EMAC_PYTHON` has no `tensorflow_datasets`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from '@emac/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shownValue, type Shown } from './dataset/shown.test.data.ts';
import { writeDataset } from './dataset/write-dataset.ts';
import { tensorFeature, type Feature, type Tensor, type Value } from './features/feature.ts';
import { rldsFeatures } from './steps/rlds-features.ts';

const python = process.env['EMAC_PYTHON'] || 'python3';
const script = fileURLToPath(new URL('../../../tools/reference/read_rlds.py', import.meta.url));
const check = 'import tensorflow, tensorflow_datasets';
const isThere = spawnSync(python, ['-c', check], { stdio: 'ignore' }).status === 0;

// the smallest PNG file, one black pixel, and a 1 × 1 JPEG: neither side decodes their bytes
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 1, 2, 3);

const sequence = (feature: Feature, length: number | null = null): Feature => ({
  kind: 'sequence',
  feature,
  length,
});

const episodeFeatures = rldsFeatures({
  observation: {
    image: { kind: 'image', shape: [null, null, 3], dtype: 'uint8', encoding: 'jpeg' },
    wrist_image: { kind: 'image', shape: [1, 1, 3], dtype: 'uint8', encoding: null },
    state: tensorFeature('float32', [8]),
    grid: tensorFeature('uint8', [2, 3]),
    raw: { kind: 'tensor', shape: [2, 2], dtype: 'float64', encoding: 'bytes' },
    free: { kind: 'tensor', shape: [null, 2, null], dtype: 'int16', encoding: 'zlib' },
    names: tensorFeature('string', [2]),
    words: sequence({ kind: 'text' }),
    pairs: sequence(tensorFeature('int32', [2])),
    lines: sequence(sequence(tensorFeature('int64'))),
    marks: sequence({
      kind: 'dict',
      features: { at: tensorFeature('float32', [2]), on: tensorFeature('bool') },
    }),
  },
  action: tensorFeature('float32', [7]),
  step: { time: tensorFeature('int64'), identity: tensorFeature('uint64'), level: tensorFeature('float64') },
});

const features: Feature = {
  kind: 'dict',
  features: {
    ...(episodeFeatures as Extract<Feature, { readonly kind: 'dict' }>).features,
    tags: sequence({ kind: 'text' }),
    limits: sequence(tensorFeature('float32'), 2),
    one: { kind: 'tensor', shape: [null, 2], dtype: 'int32', encoding: 'none' },
  },
};

const random = Random.fromSeed(18);
const float = (shape: readonly number[]): Tensor => ({
  shape,
  data: Float32Array.from({ length: shape.reduce((one, other) => one * other, 1) }, () => random.normal()),
});
const list = <T>(most: number, make: (place: number) => T): T[] =>
  Array.from({ length: random.integer(most + 1) }, (_, at) => make(at));

function step(index: number, count: number): Value {
  const rows = random.integer(4);
  const marks = random.integer(3);
  return {
    observation: {
      image: jpeg,
      wrist_image: new Uint8Array(png),
      state: float([8]),
      grid: { shape: [2, 3], data: Uint8Array.from({ length: 6 }, () => random.integer(256)) },
      raw: { shape: [2, 2], data: Float64Array.from({ length: 4 }, () => random.normal()) },
      free: {
        shape: [rows, 2, 3],
        data: Int16Array.from({ length: rows * 6 }, () => random.integer(65536) - 32768),
      },
      names: { shape: [2], data: ['Tür', ''] },
      words: list(3, (at) => `word ${at} 語`),
      pairs: list(2, () => ({ shape: [2], data: Int32Array.of(-(2 ** 31), random.integer(1000)) })),
      lines: list(3, () => list(3, () => -BigInt(random.uint32()) * 1_000_003n)),
      marks: {
        at: Array.from({ length: marks }, () => float([2])),
        on: Array.from({ length: marks }, (_, at) => at === 1),
      },
    },
    action: float([7]),
    reward: index === count - 1 ? 1 : 0,
    discount: 0.5,
    is_first: index === 0,
    is_last: index === count - 1,
    is_terminal: index === count - 1,
    language_instruction: 'stelle die Tasse auf den Teller',
    time: 1_700_000_000_123_456_789n + BigInt(index),
    identity: 2n ** 64n - 1n - BigInt(index),
    level: Math.fround(random.normal()),
  };
}

const episode = (number: number): Value => ({
  steps: Array.from({ length: 1 + (number % 4) }, (_, index) => step(index, 1 + (number % 4))),
  episode_metadata: { file_path: `episode ${number}` },
  tags: list(2, (at) => `tag ${at}`),
  limits: [-1, 0.5],
  one: { shape: [number % 3, 2], data: new Int32Array(2 * (number % 3)).fill(number) },
});

describe.skipIf(!isThere)('TensorFlow Datasets (needs it in EMAC_PYTHON)', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rlds-'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("reads this package's output", { timeout: 300_000 }, async () => {
    const home = join(folder, 'made', '2.1.0');
    const train = Array.from({ length: 7 }, (_, number) => episode(number));
    const val = [episode(9)];
    await writeDataset(home, {
      name: 'made',
      version: '2.1.0',
      features,
      perFile: 3,
      splits: { train, val },
    });
    const { stdout, stderr, status } = spawnSync(python, [script, home], {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    expect(status, stderr).toBe(0);
    const shown = (values: readonly Value[]): Shown => values.map((value) => shownValue(features, value));
    expect(JSON.parse(stdout)).toEqual({
      name: 'made',
      version: '2.1.0',
      splits: { train: shown(train), val: shown(val) },
    });
  });
});
