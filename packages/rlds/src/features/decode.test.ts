/** Examples that do not match `features.json`, each damaged in one way; valid ones are compared with TensorFlow elsewhere. */
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Example, ExampleFeature } from '../records/example.ts';
import { decodeFeatures } from './decode.ts';
import { tensorFeature, type Feature } from './feature.ts';

const float = (...values: number[]): ExampleFeature => ({ kind: 'float', values: Float32Array.from(values) });
const int64 = (...values: number[]): ExampleFeature => ({
  kind: 'int64',
  values: BigInt64Array.from(values, BigInt),
});
const strings = (...values: (string | Uint8Array)[]): ExampleFeature => ({
  kind: 'bytes',
  values: values.map((value) => (typeof value === 'string' ? new TextEncoder().encode(value) : value)),
});

const dict = (features: Readonly<Record<string, Feature>>): Feature => ({ kind: 'dict', features });
const features = dict({
  steps: {
    kind: 'dataset',
    feature: dict({
      action: tensorFeature('float32', [2]),
      last: tensorFeature('bool'),
      words: { kind: 'sequence', feature: { kind: 'text' }, length: null },
      depth: { kind: 'tensor', shape: [2], dtype: 'uint16', encoding: 'zlib' },
      cloud: { kind: 'tensor', shape: [null, null], dtype: 'int8', encoding: 'bytes' },
    }),
  },
  name: { kind: 'text' },
  count: tensorFeature('uint8'),
  identity: tensorFeature('uint64'),
});

const whole: Readonly<Record<string, ExampleFeature>> = {
  'steps/action': float(1, 2, 3, 4),
  'steps/last': int64(0, 1),
  'steps/words/ragged_flat_values': strings('a', 'b', 'c'),
  'steps/words/ragged_row_lengths_0': int64(3, 0),
  'steps/depth': strings(deflateSync(Uint8Array.of(1, 2, 0, 0)), deflateSync(Uint8Array.of(0, 0, 255, 255))),
  'steps/cloud/value': strings(Uint8Array.of(1, 255), new Uint8Array(0)),
  'steps/cloud/shape': int64(1, 2, 0, 5),
  name: strings('n'),
  count: int64(255),
  identity: int64(-1),
};

const read = (changes: Readonly<Record<string, ExampleFeature | null>>) => {
  const example: Example = new Map(
    Object.entries({ ...whole, ...changes }).filter(
      (entry): entry is [string, ExampleFeature] => entry[1] !== null,
    ),
  );
  return decodeFeatures(features, example, 'f.tfrecord: record 3');
};

it('a valid example gives its values', () => {
  expect(read({})).toEqual({
    steps: [
      {
        action: { shape: [2], data: Float32Array.of(1, 2) },
        last: false,
        words: ['a', 'b', 'c'],
        depth: { shape: [2], data: Uint16Array.of(0x0201, 0) },
        cloud: { shape: [1, 2], data: Int8Array.of(1, -1) },
      },
      {
        action: { shape: [2], data: Float32Array.of(3, 4) },
        last: true,
        words: [],
        depth: { shape: [2], data: Uint16Array.of(0, 65535) },
        cloud: { shape: [0, 5], data: new Int8Array(0) },
      },
    ],
    name: 'n',
    count: 255,
    identity: 2n ** 64n - 1n,
  });
});

it('an episode may have no steps, and its lists may then be absent', () => {
  const names = Object.keys(whole).filter((name) => name.startsWith('steps/'));
  expect(read(Object.fromEntries(names.map((name) => [name, null])))).toMatchObject({ steps: [] });
  const empty: ExampleFeature = { kind: 'empty', values: [] };
  expect(read(Object.fromEntries(names.map((name) => [name, empty])))).toMatchObject({ steps: [] });
});

describe('a damaged example is rejected', () => {
  it.each<readonly [string, Readonly<Record<string, ExampleFeature | null>>, string]>([
    ['an absent value', { name: null }, 'name: is in features.json but not in the file'],
    ['two values for one', { name: strings('a', 'b') }, 'name: must be one value, there are 2'],
    ['no value for one', { name: strings() }, 'name: must be one value, there are 0'],
    ['numbers for text', { name: int64(1) }, 'name: must be a list of bytes, it is one of int64'],
    [
      'bytes for numbers',
      { count: strings('a') },
      'count: must be a list of int64 for uint8, it is one of bytes',
    ],
    [
      'floats for integers',
      { count: float(1) },
      'count: must be a list of int64 for uint8, it is one of float',
    ],
    ['a number out of range', { count: int64(256) }, 'count: must be numbers of uint8, one is 256'],
    ['a negative one', { count: int64(-1) }, 'count: must be numbers of uint8, one is -1'],
    ['a truth of 2', { 'steps/last': int64(0, 2) }, 'steps/last: must be numbers of bool, one is 2'],
    ['text that is not UTF-8', { name: strings(Uint8Array.of(0xff)) }, 'name: must be UTF-8'],
    [
      'half a tensor',
      { 'steps/action': float(1, 2, 3) },
      'steps/action: must have 2 numbers for each value, it has 3',
    ],
    [
      'a step too few',
      { 'steps/last': int64(0) },
      'steps: its features must all have as many elements, some have 2 and some 1',
    ],
    ['lengths that are too many', { 'steps/words/ragged_row_lengths_0': int64(3, 1) }, 'they sum to 4'],
    ['lengths that are too few', { 'steps/words/ragged_row_lengths_0': int64(1, 1) }, 'they sum to 2'],
    ['a negative length', { 'steps/words/ragged_row_lengths_0': int64(4, -1) }, 'one is -1'],
    [
      'bytes that are not compressed',
      { 'steps/depth': strings('aaaa', 'bbbb') },
      'steps/depth: must be compressed by zlib',
    ],
    [
      'too many bytes',
      { 'steps/depth': strings(deflateSync(new Uint8Array(6)), 'x') },
      'steps/depth: must have shape [2], it has 3 numbers',
    ],
    [
      'half a number',
      { 'steps/depth': strings(deflateSync(new Uint8Array(3)), 'x') },
      'steps/depth: must be numbers of 2 bytes, it has 3 bytes',
    ],
    [
      'another shape',
      { 'steps/cloud/shape': int64(3, 1, 0, 0) },
      'steps/cloud/value: must have shape [any, any], it has 2 numbers',
    ],
    ['too few shapes', { 'steps/cloud/shape': int64(1, 2) }, 'steps/cloud/value: must have shape'],
  ])('for %s', (_, changes, message) => {
    const place = expect.stringMatching(/^f\.tfrecord: record 3: /) as string;
    expect(() => read(changes)).toThrow(expect.objectContaining({ code: 'data', message: place }));
    expect(() => read(changes)).toThrow(message);
  });
});
