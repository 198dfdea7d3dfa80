/**
 * Where a model folder keeps each tensor: `model.safetensors`, or shards named by
 * `model.safetensors.index.json`. Only headers are read.
 */
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import { EmacError } from '@emac/core';
import { openSafetensors, type SafetensorsFile } from '@emac/files';

import { fieldsOf, readJsonObject } from './json-object.ts';

export interface WeightFiles {
  /** absolute paths, sorted by name */
  readonly paths: readonly string[];
  /** the file that holds each tensor */
  readonly fileOf: ReadonlyMap<string, SafetensorsFile>;
}

/** Opens the weights of a folder. Errors: `missing`; `data` for a shard without the tensors that the index names. */
export function openWeightFiles(folder: string): WeightFiles {
  const single = resolve(folder, 'model.safetensors');
  if (existsSync(single)) return collect([openSafetensors(single)]);
  const index = join(folder, 'model.safetensors.index.json');
  if (existsSync(index)) return openShards(folder, index);
  throw new EmacError(
    'missing',
    `${folder}: holds neither model.safetensors nor model.safetensors.index.json; give a model folder in InstructBLIP layout`,
  );
}

function openShards(folder: string, index: string): WeightFiles {
  const map = fieldsOf(readJsonObject(index), index).object('weight_map');
  if (!map) throw new EmacError('data', `${index}: weight_map is missing; download the index again`);
  const names = [...new Set(Object.values(map))].map((name) => shardName(name, index)).sort();
  const shards = new Map(names.map((name) => [name, openSafetensors(resolve(folder, name))]));
  for (const [tensor, name] of Object.entries(map))
    if (!shards.get(String(name))?.tensors.has(tensor))
      throw new EmacError('data', `${index}: ${tensor} must be in ${String(name)}, which does not hold it`);
  return collect([...shards.values()]);
}

function shardName(name: unknown, index: string): string {
  if (typeof name === 'string' && name !== '' && basename(name) === name) return name;
  throw new EmacError(
    'data',
    `${index}: a shard must be a file beside the index, got ${JSON.stringify(name)}`,
  );
}

function collect(files: readonly SafetensorsFile[]): WeightFiles {
  return {
    paths: files.map(({ path }) => path),
    fileOf: new Map(files.flatMap((file) => [...file.tensors.keys()].map((name) => [name, file] as const))),
  };
}
