import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { valuesOf } from '../tensor-table.ts';
import { readTorchTensors } from './torch-file.ts';
import { encodeTorchFile } from './write-torch-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-torch-'));
afterAll(() => rmSync(folder, { recursive: true }));

const model = new Map([
  ['llm_proj.weight', { shape: [2, 3], data: Float32Array.from([1, -2, 3.5, 0, 1e-30, -7]) }],
  ['llm_proj.bias', { shape: [2], data: Float32Array.from([0.25, -0.5]) }],
  ['ß', { shape: [], data: Float32Array.from([9]) }],
]);

it('reads back as it was written', () => {
  const path = join(folder, 'written.pth');
  writeFileSync(path, encodeTorchFile(model, { epoch: 3, steps: 2 ** 40 }));
  const table = readTorchTensors(path, (name) => name);
  expect([...table].map(([name, tensor]) => [name, { shape: tensor.shape, data: valuesOf(tensor) }])).toEqual(
    [...model],
  );
});

it('begins each block of numbers at a multiple of 64 bytes', () => {
  const path = join(folder, 'aligned.pth');
  writeFileSync(path, encodeTorchFile(model));
  const offsets = [...readTorchTensors(path, (name) => name).values()].map(
    (tensor) => 'offset' in tensor && tensor.offset % 64,
  );
  expect(offsets).toEqual([0, 0, 0]);
});

it('is a zip archive with correct checksums, according to another reader', () => {
  const path = join(folder, 'sums.pth');
  writeFileSync(path, encodeTorchFile(model));
  const script =
    'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), len(z.namelist()))';
  expect(
    execFileSync(process.env['EMAC_PYTHON'] ?? 'python3', ['-c', script, path], { encoding: 'utf8' }).trim(),
  ).toBe('None 6');
});
