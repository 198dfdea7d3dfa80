/**
 * Where a model folder keeps each tensor: one file of weights, or shards named by an index; safetensors, or
 * `torch.save`'s files without them. Only headers are read.
 */
import { basename, join, resolve } from '@emac/platform';

import { EmacError } from '@emac/core';
import { isThere, openSafetensors } from '@emac/files';

import { fieldsOf, readJsonObject, type JsonObject } from './json-object.ts';
import { mergedTables, type TensorTable } from './tensor-table.ts';
import { readTorchTensors } from './torch/torch-file.ts';

const single = ['model.safetensors', 'pytorch_model.bin'];

/**
 * The weights of a folder. Errors: `missing`; `data` for a damaged file, for a shard without tensors that the index
 * names, and for a tensor in two shards.
 */
export function openWeightFiles(folder: string): TensorTable {
  const name = chosenFile(folder);
  return isIndex(name) ? openShards(folder, join(folder, name)) : openWeightFile(resolve(folder, name));
}

/**
 * Names of a folder's weight files: one, or an index and its shards; other files are ignored. Errors: `missing`, `data`.
 */
export function weightFileNames(folder: string): readonly string[] {
  const name = chosenFile(folder);
  return isIndex(name) ? [name, ...shardNames(weightMap(join(folder, name)), join(folder, name))] : [name];
}

/** A whole file before an index, safetensors before `torch.save`'s. */
function chosenFile(folder: string): string {
  const names = single.flatMap((name) => [name, `${name}.index.json`]);
  const found = names.find((name) => isThere(join(folder, name)));
  if (found !== undefined) return found;
  throw new EmacError(
    'missing',
    `${folder}: holds no ${single.join(', ')} or their .index.json; give a model folder as save_pretrained writes it`,
  );
}

function isIndex(name: string): boolean {
  return name.endsWith('.index.json');
}

function openWeightFile(path: string): TensorTable {
  if (!path.endsWith('.safetensors')) return readTorchTensors(path, (name) => name);
  const { tensors } = openSafetensors(path);
  return new Map([...tensors].map(([name, tensor]) => [name, { ...tensor, path }]));
}

function openShards(folder: string, index: string): TensorTable {
  const map = weightMap(index);
  const shards = new Map(shardNames(map, index).map((name) => [name, openWeightFile(resolve(folder, name))]));
  for (const [tensor, name] of Object.entries(map))
    if (!shards.get(String(name))?.has(tensor))
      throw new EmacError('data', `${index}: ${tensor} must be in ${String(name)}, which does not hold it`);
  return mergedTables([...shards.values()]);
}

function weightMap(index: string): JsonObject {
  const map = fieldsOf(readJsonObject(index), index).object('weight_map');
  if (!map) throw new EmacError('data', `${index}: weight_map is missing; download the index again`);
  return map;
}

function shardNames(map: JsonObject, index: string): string[] {
  return [...new Set(Object.values(map))].map((name) => shardName(name, index)).sort();
}

function shardName(name: unknown, index: string): string {
  if (typeof name === 'string' && name !== '' && basename(name) === name) return name;
  throw new EmacError(
    'data',
    `${index}: a shard must be a file beside the index, got ${JSON.stringify(name)}`,
  );
}
