import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { encodeSafetensors, openSafetensors, readTensor, type TensorBytes } from '@emac/files';
import { createSession, Graph } from '@emac/graph';
import { afterAll, describe, expect, it } from 'vitest';

import { loadBackbone } from '../backbone.ts';
import { openModelFiles } from './model-files.ts';
import { smallConfig, writeRandomFolder } from './random-model.test.support.ts';

const root = mkdtempSync(join(tmpdir(), 'model-files-'));
afterAll(() => rmSync(root, { recursive: true }));

function folder(name: string, options: Parameters<typeof writeRandomFolder>[1] = {}): string {
  writeRandomFolder(join(root, name), options);
  return join(root, name);
}

function changed(name: string, key: string, change: object): string {
  const path = folder(name);
  const config = { ...smallConfig, [key]: { ...smallConfig[key as 'text_config'], ...change } };
  writeFileSync(join(path, 'config.json'), JSON.stringify(config));
  return path;
}

function tensorsOf(path: string): Map<string, TensorBytes> {
  const file = openSafetensors(path);
  return new Map([...file.tensors.keys()].map((name) => [name, readTensor(file, name)]));
}

describe('model files', () => {
  it('takes the vocabulary from the tensors, not from the configuration', () => {
    const path = changed('vocabulary', 'text_config', { vocab_size: 32000 });
    expect(openModelFiles(path).vocabulary).toBe(41);
  });

  it('names the tensor whose shape the configuration contradicts', () => {
    const path = changed('shape', 'text_config', { intermediate_size: 25 });
    expect(() => openModelFiles(path)).toThrow(
      /layers\.0\.mlp\.gate_proj\.weight must be \[25, 16\].*got \[24, 16\]/,
    );
  });

  it('names a tensor that is missing', () => {
    const path = changed('absent', 'vision_config', { num_hidden_layers: 3 });
    expect(() => openModelFiles(path)).toThrow(
      /has no tensor vision_model\.encoder\.layers\.2\.layer_norm1\.weight/,
    );
  });

  it('reports the missing files of an empty folder', () => {
    expect(() => openModelFiles(join(root, 'nowhere'))).toThrow(/config\.json: cannot be read/);
  });

  it('rejects an index that points outside the folder', () => {
    const path = folder('outside', { shards: 2 });
    const index = join(path, 'model.safetensors.index.json');
    writeFileSync(
      index,
      readFileSync(index, 'utf8').replace('model-0.safetensors', '../model-0.safetensors'),
    );
    expect(() => openModelFiles(path)).toThrow(/must be a file beside the index/);
  });

  it('rejects a tensor in two shards, naming both', () => {
    const path = folder('twice', { shards: 2 });
    const [first, second] = [0, 1].map((shard) => tensorsOf(join(path, `model-${shard}.safetensors`)));
    const added = [...first!][0]!;
    writeFileSync(join(path, 'model-1.safetensors'), encodeSafetensors(new Map([added, ...second!])));
    expect(() => openModelFiles(path)).toThrow(
      /model-1\.safetensors: holds \S+, which .*model-0\.safetensors holds too/,
    );
  });

  it('rejects a tensor that is neither F32, F16 nor BF16', () => {
    const path = folder('integers');
    const file = join(path, 'model.safetensors');
    const tensors = tensorsOf(file).set('query_tokens', {
      dtype: 'I32',
      shape: [1, 3, 10],
      data: new Uint8Array(120),
    });
    writeFileSync(file, encodeSafetensors(tensors));
    expect(() => openModelFiles(path)).toThrow(/query_tokens must be F32, F16 or BF16, got I32/);
  });

  it('rejects a truncated file, naming the truncated tensor', () => {
    const path = folder('cut');
    const file = join(path, 'model.safetensors');
    const last = [...openSafetensors(file).tensors.keys()].at(-1)!;
    truncateSync(file, statSync(file).size - 1);
    expect(() => openModelFiles(path)).toThrow(`model.safetensors, tensor "${last}": ends at byte`);
  });

  it('rejects overlapping tensors, naming the second', () => {
    const path = folder('overlap');
    const file = join(path, 'model.safetensors');
    const [first, second] = [...openSafetensors(file).tensors.values()];
    const start = 8 + Number(readFileSync(file).readBigUInt64LE(0));
    const offsets = ({ offset, length }: { offset: number; length: number }, by: number) =>
      `[${offset - start + by},${offset - start + length + by}]`;
    const bytes = readFileSync(file, 'latin1').replace(offsets(second!, 0), offsets(second!, -4));
    // numbers may be shorter now, so the header is padded to its old length
    const missing = statSync(file).size - bytes.length;
    writeFileSync(file, bytes.slice(0, start) + ' '.repeat(missing) + bytes.slice(start), 'latin1');
    expect(first!.length).toBeGreaterThan(4);
    expect(() => openModelFiles(path)).toThrow(/model\.safetensors, tensor "[^"]+": overlaps the one before/);
  });

  it("gives a graph the file's values, from one file or from shards", async () => {
    const name = 'language_projection.weight';
    for (const shards of [1, 3]) {
      const files = openModelFiles(folder(`values-${shards}`, { shards }));
      const graph = new Graph();
      graph.output('weight', files.weights(graph)(name));
      const session = await createSession(graph);
      const { weight } = await session.run({});
      await session.dispose();
      expect(weight!.data).toEqual(files.read(name).data);
    }
  });
});

describe('a backbone', () => {
  it('encodes an image alone, and differently with text beside it', async () => {
    const backbone = loadBackbone(folder('backbone'));
    const pixels = backbone.imageProcessor.process({
      width: 4,
      height: 2,
      data: new Uint8Array(24).fill(200),
    });
    const alone = await backbone.features(pixels);
    const withText = await backbone.features(pixels, [4, 5, 6]);
    await backbone.dispose();
    expect(alone).toHaveLength(3 * 10);
    expect(withText).toHaveLength(3 * 10);
    expect(alone).not.toEqual(withText);
    expect(alone.every(Number.isFinite)).toBe(true);
  });
});
