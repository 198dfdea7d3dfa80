/** A network's sizes from a model folder's `config.json`, and the metadata that GGUF has for it (convert_hf_to_gguf.py). */
import { fieldsOf, type Fields, type JsonObject, type TensorTable } from '@emac/backbone';

import type { Metadata, MetadataValue } from '../file/write-gguf.ts';
import type { StoredType } from '../blocks/quantize.ts';
import type { Architecture, Network } from './network.ts';
import { scalingMetadata, scalingOfConfig } from './rotary-scaling.ts';

/** of models in folders, by the architecture that GGUF has for them */
const known: Readonly<Record<string, Architecture>> = {
  llama: 'llama',
  mistral: 'llama',
  qwen2: 'qwen2',
  qwen3: 'qwen3',
};

/** Errors: `config` naming the key of a `config.json` that cannot be written as GGUF. */
export function networkOfConfig(config: JsonObject, place: string, tensors: TensorTable): Network {
  const fields = fieldsOf(config, place);
  const type = fields.text('model_type', '');
  const architecture = known[type];
  if (!architecture)
    return fields.fail('model_type', `must be one of ${Object.keys(known).join(', ')} to be written as GGUF`);
  if (fields.text('hidden_act', 'silu') !== 'silu') fields.fail('hidden_act', 'must be silu');
  if (fields.boolean('use_sliding_window', false))
    fields.fail('use_sliding_window', 'must be false (llama.cpp knows no window here)');
  if (fields.texts('layer_types', []).includes('sliding_attention'))
    fields.fail('layer_types', 'must name full_attention alone (llama.cpp knows no window here)');
  const count = (key: string, fallback: number | null = null) => fields.positiveInteger(key, fallback);
  const [hiddenSize, heads] = [count('hidden_size'), count('num_attention_heads')];
  const parameters = fields.object('rope_parameters') ?? {};
  const bias = type === 'qwen2' || (type !== 'mistral' && fields.boolean('attention_bias', false));
  return {
    architecture,
    vocabulary: tensors.get('model.embed_tokens.weight')?.shape[0] ?? count('vocab_size'),
    hiddenSize,
    intermediateSize: count('intermediate_size'),
    layers: fields.layers('num_hidden_layers', null),
    heads,
    keyValueHeads: count('num_key_value_heads', heads),
    headSize: count('head_dim', type === 'qwen3' ? 128 : Math.floor(hiddenSize / heads)),
    positions: count('max_position_embeddings'),
    normEpsilon: fields.number('rms_norm_eps', 1e-6),
    ropeTheta: fields.number('rope_theta', fieldsOf(parameters, place).number('rope_theta', 10000)),
    scaling: scalingOfConfig(fields, (object) => fieldsOf(object, `${place}: rope_scaling`)),
    slidingWindow: type === 'mistral' ? windowOf(config, fields) : null,
    windowLayers: null,
    attentionBias: bias,
    outputBias: bias && type !== 'qwen2',
    feedForwardBias: type === 'llama' && fields.boolean('mlp_bias', false),
    tiedHead: fields.boolean('tie_word_embeddings', false),
  };
}

/** transformers takes 4096 where the key is missing, and no window where it is null. */
function windowOf(config: JsonObject, fields: Fields): number | null {
  if (config['sliding_window'] === null) return null;
  return fields.positiveInteger('sliding_window', 4096);
}

/** `general.file_type`: what most weights are stored as. */
const fileTypes: Readonly<Record<StoredType, number>> = { F32: 0, F16: 1, Q8_0: 7 };

/** The network's part of the metadata. llama.cpp ignores the window; it is written for the way back. */
export function networkMetadata(
  network: Network,
  { name, type }: { readonly name: string; readonly type: StoredType },
): Metadata {
  const { architecture, slidingWindow, headSize } = network;
  const key = (each: string) => `${architecture}.${each}`;
  return new Map<string, MetadataValue>([
    ['general.architecture', architecture],
    ['general.type', 'model'],
    ['general.name', name],
    [key('block_count'), network.layers],
    [key('context_length'), network.positions],
    [key('embedding_length'), network.hiddenSize],
    [key('feed_forward_length'), network.intermediateSize],
    [key('attention.head_count'), network.heads],
    [key('attention.head_count_kv'), network.keyValueHeads],
    [key('rope.freq_base'), { float: network.ropeTheta }],
    [key('attention.layer_norm_rms_epsilon'), { float: network.normEpsilon }],
    [key('attention.key_length'), headSize],
    [key('attention.value_length'), headSize],
    ['general.file_type', fileTypes[type]],
    [key('vocab_size'), network.vocabulary],
    [key('rope.dimension_count'), headSize],
    ...scalingMetadata(network),
    ...(slidingWindow === null ? [] : [[key('attention.sliding_window'), slidingWindow] as const]),
    ['general.quantization_version', 2],
  ]);
}
