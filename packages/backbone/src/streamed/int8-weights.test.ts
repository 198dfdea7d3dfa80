import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openModelFiles } from '../files/model-files.ts';
import { type TensorPlace } from '../files/tensor-table.ts';
import { smallConfig, writeRandomFolder } from '../files/random-model.test.support.ts';

import { int8ModelFiles } from './int8-weights.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-int8-'));
const model = join(folder, 'model');
const cache = join(folder, 'cache');
writeRandomFolder(model, { config: smallConfig });
afterAll(() => rmSync(folder, { recursive: true }));

const readTensor = ({ path, offset, length }: TensorPlace): ArrayBuffer =>
  new Uint8Array(readFileSync(path).subarray(offset, offset + length)).buffer;

const identity = 'a'.repeat(64);
const names = [0, 1].flatMap((layer) =>
  ['self_attn.q_proj', 'mlp.down_proj'].map((part) => `language_model.model.layers.${layer}.${part}.weight`),
);

describe('int8ModelFiles', () => {
  it('rounds every weight of the layers to the nearest of 255 steps, scaled per row', async () => {
    const exact = openModelFiles(model);
    const rounded = await int8ModelFiles(exact, { identity, folder: cache });
    for (const name of names) {
      const { shape, data } = exact.read(name);
      const [outputs, inputs] = shape as [number, number];
      const place = rounded.locate(name)!;
      expect(place).toMatchObject({ dtype: 'I8', shape: [inputs, outputs] });
      const quantized = new Int8Array(readTensor(place));
      const scales = new Float32Array(readTensor(rounded.locate(`${name}.scale`)!));
      for (let row = 0; row < outputs; row++) {
        const column = Array.from({ length: inputs }, (_, index) => quantized[index * outputs + row]!);
        expect(Math.max(...column.map(Math.abs))).toBe(127);
        column.forEach((step, index) => {
          const error = Math.abs(step * scales[row]! - data[row * inputs + index]!);
          expect(error).toBeLessThanOrEqual(scales[row]! * 0.5001);
        });
      }
    }
  });

  it('leaves norms, embeddings and the head unchanged', async () => {
    const exact = openModelFiles(model);
    const rounded = await int8ModelFiles(exact, { identity, folder: cache });
    for (const name of ['language_model.lm_head.weight', 'language_model.model.norm.weight', 'query_tokens'])
      expect(rounded.locate(name)).toEqual(exact.locate(name));
  });

  it('writes the copy once, and no other file', async () => {
    const exact = openModelFiles(model);
    await int8ModelFiles(exact, { identity, folder: cache });
    const [file, ...others] = readdirSync(cache);
    expect(others).toEqual([]);
    const written = statSync(join(cache, file!)).mtimeMs;
    await int8ModelFiles(exact, { identity, folder: cache });
    expect(statSync(join(cache, file!)).mtimeMs).toBe(written);
  });

  it('rejects a truncated copy', async () => {
    const [file] = readdirSync(cache);
    truncateSync(join(cache, file!), 2000);
    await expect(int8ModelFiles(openModelFiles(model), { identity, folder: cache })).rejects.toMatchObject({
      code: 'data',
    });
  });
});
