/**
 * Where a model folder keeps each tensor: one file of weights, or shards named by an index; safetensors, or
 * `torch.save`'s where there is none. Only headers are read.
 */
import { basename, join, resolve } from 'node:path';

import { EmacError } from '@emac/core';
import { isThere, openSafetensors } from '@emac/files';

import { fieldsOf, readJsonObject } from './json-object.ts';
import { mergedTables, type TensorTable } from './tensor-table.ts';
import { readTorchTensors } from './torch/torch-file.ts';

const single = ['model.safetensors', 'pytorch_model.bin'];

/**
 * The weights of a folder. Errors: `missing`; `data` for a damaged file, for a shard without the tensors that the index
 * names, and for a tensor that two shards hold.
 */
export function openWeightFiles(folder: string): TensorTable {
  for (const name of single) {
    const file = resolve(folder, name);
    if (isThere(file)) return openWeightFile(file);
    const index = join(folder, `${name}.index.json`);
    if (isThere(index)) return openShards(folder, index);
  }
  throw new EmacError(
    'missing',
    `${folder}: holds no ${single.join(', ')} or their .index.json; give a model folder as save_pretrained writes it`,
  );
}

function openWeightFile(path: string): TensorTable {
  if (!path.endsWith('.safetensors')) return readTorchTensors(path, (name) => name);
  const { tensors } = openSafetensors(path);
  return new Map([...tensors].map(([name, tensor]) => [name, { ...tensor, path }]));
}

function openShards(folder: string, index: string): TensorTable {
  const map = fieldsOf(readJsonObject(index), index).object('weight_map');
  if (!map) throw new EmacError('data', `${index}: weight_map is missing; download the index again`);
  const names = [...new Set(Object.values(map))].map((name) => shardName(name, index)).sort();
  const shards = new Map(names.map((name) => [name, openWeightFile(resolve(folder, name))]));
  for (const [tensor, name] of Object.entries(map))
    if (!shards.get(String(name))?.has(tensor))
      throw new EmacError('data', `${index}: ${tensor} must be in ${String(name)}, which does not hold it`);
  return mergedTables([...shards.values()]);
}

function shardName(name: unknown, index: string): string {
  if (typeof name === 'string' && name !== '' && basename(name) === name) return name;
  throw new EmacError(
    'data',
    `${index}: a shard must be a file beside the index, got ${JSON.stringify(name)}`,
  );
}
