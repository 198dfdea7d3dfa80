/** Small random models for tests: a configuration, its weights, and a folder for them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Random } from '@emac/core';
import { encodeSafetensors } from '@emac/files';

import { expectedTensors } from './expected-tensors.ts';
import { parseModelConfig, type InstructBlipConfig } from './model-config.ts';

export interface RandomTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** All dimensions differ: grouped heads, an odd number of Q-Former layers. */
export const smallConfig = {
  model_type: 'instructblip',
  num_query_tokens: 3,
  image_token_index: 40,
  vision_config: {
    hidden_size: 12,
    intermediate_size: 20,
    num_hidden_layers: 2,
    num_attention_heads: 3,
    image_size: 8,
    patch_size: 4,
  },
  qformer_config: {
    vocab_size: 23,
    hidden_size: 10,
    intermediate_size: 14,
    num_hidden_layers: 3,
    num_attention_heads: 2,
    max_position_embeddings: 9,
  },
  text_config: {
    model_type: 'llama',
    vocab_size: 41,
    hidden_size: 16,
    intermediate_size: 24,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 6,
    max_position_embeddings: 64,
  },
};

/** Weights that keep activations near one in size. */
export function randomTensors(config: InstructBlipConfig, seed: string): ReadonlyMap<string, RandomTensor> {
  const random = Random.fromSeed(seed);
  return new Map(
    [...expectedTensors(config)].map(([name, expected]) => {
      const rows = name.startsWith('qformer.') ? config.qformer.vocabulary : config.llama.vocabulary;
      const shape = expected.map((size) => size ?? rows);
      const isNorm = shape.length === 1 && name.endsWith('weight');
      const spread = shape.length === 1 ? 0.2 : 1 / Math.sqrt(shape.at(-1)!);
      const length = shape.reduce((product, size) => product * size, 1);
      const data = Float32Array.from({ length }, () => (isNorm ? 1 : 0) + spread * random.normal());
      return [name, { shape, data }];
    }),
  );
}

/** Writes a model folder, with `shards` weight files if more than one. */
export function writeRandomFolder(folder: string, options: { config?: object; shards?: number } = {}): void {
  const json = options.config ?? smallConfig;
  const tensors = [...randomTensors(parseModelConfig(json as never, 'test'), 'weights')];
  const shards = options.shards ?? 1;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(json));
  const map: Record<string, string> = {};
  for (let shard = 0; shard < shards; shard++) {
    const name = shards === 1 ? 'model.safetensors' : `model-${shard}.safetensors`;
    const part = tensors.filter((_, index) => index % shards === shard);
    for (const [tensor] of part) map[tensor] = name;
    writeFileSync(join(folder, name), encode(part));
  }
  if (shards > 1)
    writeFileSync(join(folder, 'model.safetensors.index.json'), JSON.stringify({ weight_map: map }));
}

function encode(tensors: readonly (readonly [string, RandomTensor])[]): Uint8Array {
  return encodeSafetensors(
    new Map(tensors.map(([name, { shape, data }]) => [name, { dtype: 'F32' as const, shape, data }])),
  );
}
