/** Files written by PyTorch itself (`tools/reference/write_torch_files.py`), and damaged copies. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { EmacError } from '@emac/core';
import { openSafetensors, readFloat32, readTensor } from '@emac/files';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';

import { isHeld, valuesOf } from '../tensor-table.ts';
import { readTorchTensors } from './torch-file.ts';
import { torchFile, zipArchive, type PickledTensor } from './torch-file.test.support.ts';

const fixtures = fileURLToPath(new URL('../../../fixtures/torch/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'torch-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

const all = (name: string) => name;

function written(bytes: Uint8Array, name = 'case.pth'): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

describe('a file of torch.save', () => {
  const table = readTorchTensors(join(fixtures, 'tensors.pth'), all);
  const expected = openSafetensors(join(fixtures, 'tensors.safetensors'));

  it("holds PyTorch's tensors, and ignores other values", () => {
    expect([...table.keys()].sort()).toEqual([...expected.tensors.keys()].sort());
    for (const [name, { dtype, shape }] of expected.tensors)
      expect([name, table.get(name)!.dtype, table.get(name)!.shape]).toEqual([name, dtype, shape]);
  });

  it.each([...expected.tensors.keys()])('gives the bytes of %s', (name) => {
    const tensor = table.get(name)!;
    const bytes = isHeld(tensor)
      ? tensor.bytes
      : readTensor({ path: tensor.path, metadata: {}, tensors: new Map([[name, tensor]]) }, name).data;
    expect(Buffer.from(bytes)).toEqual(Buffer.from(readTensor(expected, name).data));
  });

  it('copies only tensors that do not lie row by row', () => {
    const held = [...table.values()].filter(isHeld).map(({ name }) => name);
    expect(held.sort()).toEqual(['columns', 'expanded', 'permuted', 'transposed']);
  });

  it.each([3, 4, 5])('reads pickle protocol %i', (protocol) => {
    const small = readTorchTensors(join(fixtures, `protocol-${protocol}.pth`), all);
    expect(valuesOf(small.get('float32')!)).toEqual(readFloat32(expected, 'float32'));
  });

  it('skips unwanted tensors unread', () => {
    const only = readTorchTensors(join(fixtures, 'not-a-tensor.pth'), (name) =>
      name === 'list' ? null : `renamed.${name}`,
    );
    expect([...only.keys()]).toEqual(['renamed.float32']);
  });

  it.each([
    ['is older than the zip container', 'before-zip.pth', /not a zip archive.*save an older file again/],
    ['has something else where a tensor is wanted', 'not-a-tensor.pth', /tensor list: must be a tensor, got/],
    ['does not exist', 'nowhere.pth', /nowhere\.pth/],
  ])('that %s is rejected', (_, name, message) => {
    expect(() => readTorchTensors(join(fixtures, name), all)).toThrow(message);
  });
});

const one = (change: Partial<PickledTensor> = {}): PickledTensor => ({
  name: 'weight',
  storage: 'FloatStorage',
  key: '0',
  elements: 6,
  offset: 0,
  shape: [2, 3],
  stride: [3, 1],
  ...change,
});
const data = { '0': new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6).buffer) };

describe('a file that contradicts itself', () => {
  it('is read if it does not', () => {
    const table = readTorchTensors(written(torchFile([one()], data)), all);
    expect(valuesOf(table.get('weight')!)).toEqual(Float32Array.of(1, 2, 3, 4, 5, 6));
  });

  it.each<[string, PickledTensor[], RegExp]>([
    ['a tensor beyond its storage', [one({ offset: 1 })], /weight: needs elements 1 to 7 of a storage of 6/],
    ['a stride beyond its storage', [one({ stride: [4, 1] })], /needs elements 0 to 7 of a storage of 6/],
    ['a shape beyond all sizes', [one({ shape: [2 ** 30, 2 ** 30] })], /weight: \[.*\] is too large/],
    [
      'an expanded tensor that is large',
      [one({ shape: [2 ** 27, 1], stride: [0, 1] })],
      /weight: its rows are not stored one after the other/,
    ],
    ['another number of elements', [one({ elements: 7 })], /data\/0 must have 28 bytes, has 24/],
    ['a storage that does not exist', [one({ key: '9' })], /entry data\/9, are not in the archive/],
    ['a storage of unknown type', [one({ storage: 'QInt8Storage' })], /got a storage of torch\.QInt8Storage/],
    ['a negative offset', [one({ offset: -1 })], /got a damaged tensor/],
    ['fewer strides than sizes', [one({ stride: [1] })], /got a damaged tensor/],
    [
      'code in place of a tensor',
      [one({ rebuild: 'os\nsystem' })],
      /must be a tensor, got a value of os\.system/,
    ],
    [
      'tensors that share a part',
      [one({ shape: [4], stride: [1] }), one({ name: 'bias', offset: 3, shape: [3], stride: [1] })],
      /tensor bias: overlaps weight/,
    ],
  ])('with %s is rejected, naming it', (_, tensors, message) => {
    const path = written(torchFile(tensors, data));
    expect(() => readTorchTensors(path, all)).toThrow(message);
    expect(() => readTorchTensors(path, all)).toThrow(EmacError);
  });

  it('may have two names for all of a tensor', () => {
    const table = readTorchTensors(written(torchFile([one(), one({ name: 'tied' })], data)), all);
    expect(table.get('tied')).toEqual({ ...table.get('weight'), name: 'tied' });
  });

  it('is rejected if two names become the same', () => {
    const path = written(torchFile([one(), one({ name: 'tied' })], data));
    expect(() => readTorchTensors(path, () => 'same')).toThrow(/tensor same: occurs twice/);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['compressed', zipArchive([{ name: 'a/data.pkl', bytes: data[0], method: 8 }]), /is compressed/],
    ['encrypted', zipArchive([{ name: 'a/data.pkl', bytes: data[0], flags: 1 }]), /is encrypted/],
    ['without a pickle', zipArchive([{ name: 'a/b', bytes: data[0] }]), /must hold one data\.pkl, holds 0/],
    [
      'with an entry twice',
      zipArchive([1, 2].map(() => ({ name: 'a/data.pkl', bytes: data[0] }))),
      /two entries "a\/data\.pkl"/,
    ],
    [
      'of a big-endian machine',
      torchFile([one()], data, { byteorder: 'big' }),
      /little-endian, its byteorder is big/,
    ],
    [
      'of something else',
      zipArchive([{ name: 'a/data.pkl', bytes: Uint8Array.of(0x80, 2, 0x4e, 0x2e) }]),
      /dictionary/,
    ],
  ])('that is an archive %s is rejected', (_, bytes, message) => {
    expect(() => readTorchTensors(written(bytes), all)).toThrow(message);
  });

  it('beyond 4 GiB is read where its ZIP64 records say', () => {
    const path = join(folder, 'large.pth');
    const offset = 5 * 2 ** 30;
    torchFile([one()], data, { sparse: { path, offset } });
    const { weight } = Object.fromEntries(readTorchTensors(path, all));
    expect(weight && 'offset' in weight && weight.offset).toBeGreaterThan(offset);
    expect(valuesOf(weight!)).toEqual(Float32Array.of(1, 2, 3, 4, 5, 6));
  });
});

describe('a damaged file', () => {
  const good = readFileSync(join(fixtures, 'tensors.pth'));
  const opens = (bytes: Uint8Array) => {
    try {
      for (const tensor of readTorchTensors(written(bytes), all).values()) valuesOf(tensor);
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(EmacError);
      expect((thrown as EmacError).code).toBe('data');
    }
  };

  it('gives only errors of the kind data, wherever it is truncated', () => {
    fc.assert(
      fc.property(fc.nat(good.length - 1), (length) => opens(good.subarray(0, length))),
      { numRuns: 100 },
    );
    expect(() => readTorchTensors(written(good.subarray(0, good.length - 1)), all)).toThrow(/cut short/);
  });

  it('gives only errors of the kind data, with any bytes changed', () => {
    const change = fc.record({ at: fc.nat(good.length - 1), by: fc.integer({ min: 1, max: 255 }) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const bytes = Uint8Array.from(good);
        for (const { at, by } of changes) bytes[at]! ^= by;
        opens(bytes);
      }),
      { numRuns: 300 },
    );
  });

  it('gives only errors of the kind data, with any pickle in it', () => {
    const pickles = fc.uint8Array({ minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(pickles, (pickle) =>
        opens(zipArchive([{ name: 'a/data.pkl', bytes: Uint8Array.of(0x80, 2, ...pickle) }])),
      ),
      { numRuns: 300 },
    );
  });
});
