/**
 * Sizes of a model without its own `config.json`: from its tensors' shapes, the language model's `config.json`, and the
 * composing file, which wins. Head counts are the published ones unless stated.
 */
import { join } from '@emac/platform';

import { EmacError } from '@emac/core';

import { fieldsOf, readJsonObject, type JsonObject } from './json-object.ts';
import { parseModelConfig, type InstructBlipConfig } from './model-config.ts';
import type { TensorTable } from './tensor-table.ts';

/** EVA-CLIP's file has 40 blocks; BLIP-2 and its descendants use the output of the 39th. */
const blocksUsed = 39;
/** torch.nn.LayerNorm's default; LAVIS does not change it for `ln_vision` */
export const lavisVisionNormEpsilon = 1e-5;

const sections = ['vision_config', 'qformer_config', 'text_config'];
const stated = [...sections, 'num_query_tokens', 'image_token_index'];

export interface ComposedParts {
  readonly tensors: TensorTable;
  /** the language model's folder */
  readonly folder: string;
  readonly overrides: JsonObject;
  /** starts error messages */
  readonly place: string;
}

/** Errors: `missing`, or `config` naming the key. */
export function composedConfig({ tensors, folder, overrides, place }: ComposedParts): InstructBlipConfig {
  const unknown = Object.keys(overrides).find((key) => !stated.includes(key));
  if (unknown !== undefined)
    throw new EmacError(
      'config',
      `${place}: config must only have the keys ${stated.join(', ')}, got ${unknown}`,
    );
  const size = (name: string, axis: number): number | null => tensors.get(name)?.shape[axis] ?? null;
  const derived: Record<string, JsonObject> = {
    vision_config: visionSizes(tensors, size),
    qformer_config: qformerSizes(tensors, size),
    text_config: readJsonObject(join(folder, 'config.json')),
  };
  const fields = fieldsOf(overrides, `${place}: config`);
  const merged = sections.map((key) => [key, { ...derived[key], ...fields.object(key) }] as const);
  return parseModelConfig(
    { num_query_tokens: size('query_tokens', 1), ...overrides, ...Object.fromEntries(merged) },
    place,
  );
}

type SizeOf = (name: string, axis: number) => number | null;

function visionSizes(tensors: TensorTable, size: SizeOf): JsonObject {
  const embeddings = 'vision_model.embeddings';
  const patch = size(`${embeddings}.patch_embedding.weight`, 2);
  const positions = size(`${embeddings}.position_embedding`, 1);
  const blocks = layersOf(tensors, 'vision_model.encoder.layers').size;
  return {
    hidden_size: size(`${embeddings}.class_embedding`, 2),
    intermediate_size: size('vision_model.encoder.layers.0.mlp.fc1.weight', 0),
    num_hidden_layers: blocks === 0 ? null : Math.min(blocks, blocksUsed),
    patch_size: patch,
    image_size: patch && positions && positions > 1 ? Math.floor(Math.sqrt(positions - 1)) * patch : null,
    final_layer_norm_eps: lavisVisionNormEpsilon,
  };
}

function qformerSizes(tensors: TensorTable, size: SizeOf): JsonObject {
  const layers = layersOf(tensors, 'qformer.encoder.layer').size;
  const looking = [...layersOf(tensors, 'qformer.encoder.layer', 'crossattention')].filter(
    (each) => each > 0,
  );
  return {
    hidden_size: size('query_tokens', 2),
    intermediate_size: size('qformer.encoder.layer.0.intermediate_query.dense.weight', 0),
    num_hidden_layers: layers || null,
    vocab_size: size('qformer.embeddings.word_embeddings.weight', 0),
    max_position_embeddings: size('qformer.embeddings.position_embeddings.weight', 0),
    cross_attention_frequency: Math.min(...looking, layers) || null,
  };
}

/** Numbers of the layers under a prefix that have tensors, of all parts or one. */
function layersOf(tensors: TensorTable, prefix: string, part = ''): Set<number> {
  const found = new Set<number>();
  for (const name of tensors.keys()) {
    if (!name.startsWith(`${prefix}.`)) continue;
    const [number, rest] = name.slice(prefix.length + 1).split('.');
    if (part === '' || rest === part) found.add(Number(number));
  }
  return found;
}
