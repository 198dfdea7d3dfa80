/** A network's sizes from the metadata and tensors of a GGUF file, and the `config.json` that transformers has for it. */
import { EmacError } from '@emac/core';
import { withReader } from '@emac/files';
import { fieldsOf, type Fields, type JsonObject } from '@emac/backbone';

import { dequantize } from '../blocks/dequantize.ts';
import type { GgufFile } from '../file/gguf-file.ts';
import { architectures, shortest, type Architecture, type Network, type WindowLayers } from './network.ts';
import { configScaling, scalingOfGguf } from './rotary-scaling.ts';
import { namedTensors, rotaryFactors } from './tensor-names.ts';

/** Errors: `config` for an unknown architecture, scaling or size; `data` for a tensor that is unknown, missing or of another shape. */
export function networkOfGguf(file: GgufFile): Network {
  const { path, metadata, tensors } = file;
  const fields = fieldsOf(metadata, path);
  const architecture = fields.text('general.architecture', '') as Architecture;
  if (!architectures.includes(architecture))
    fields.fail('general.architecture', `must be one of ${architectures.join(', ')}`);
  const key = (name: string) => `${architecture}.${name}`;
  const count = (name: string, fallback: number | null = null) => fields.positiveInteger(key(name), fallback);
  if (metadata[key('expert_count')])
    fields.fail(key('expert_count'), 'must be 0 (mixtures of experts are not supported)');
  const [hiddenSize, heads] = [count('embedding_length'), count('attention.head_count')];
  const headSize = count('attention.key_length', Math.floor(hiddenSize / heads));
  for (const name of ['attention.value_length', 'rope.dimension_count'])
    if (count(name, headSize) !== headSize) fields.fail(key(name), `must be the size of a head, ${headSize}`);
  const has = (name: string) => tensors.has(name);
  const ropeTheta = shortest(fields.number(key('rope.freq_base'), 10000));
  const network: Network = {
    architecture,
    vocabulary: tensors.get('token_embd.weight')?.shape[0] ?? 0,
    hiddenSize,
    intermediateSize: count('feed_forward_length'),
    layers: fields.layers(key('block_count'), null),
    heads,
    keyValueHeads: count('attention.head_count_kv', heads),
    headSize,
    positions: count('context_length'),
    normEpsilon: shortest(fields.number(key('attention.layer_norm_rms_epsilon'), 1e-6)),
    ropeTheta,
    scaling: scalingOfGguf(fields, architecture, { factors: factorsOf(file), theta: ropeTheta, headSize }),
    slidingWindow: ['llama', 'gemma3'].includes(architecture)
      ? windowOf(metadata[key('attention.sliding_window')])
      : null,
    windowLayers: architecture === 'gemma3' ? gemmaLayers(fields, { hiddenSize, heads, headSize }) : null,
    attentionBias: has('blk.0.attn_q.bias'),
    outputBias: has('blk.0.attn_output.bias'),
    feedForwardBias: has('blk.0.ffn_up.bias'),
    tiedHead: !has('output.weight'),
  };
  checkTensors(file, network);
  return network;
}

/** llama.cpp fixes the pattern, the base of layers with a window and the scale of queries by the size (llama-model.cpp, `LLM_ARCH_GEMMA3`). */
function gemmaLayers(
  fields: Fields,
  { hiddenSize, heads, headSize }: { hiddenSize: number; heads: number; headSize: number },
): WindowLayers {
  const key = (name: string) => `gemma3.${name}`;
  for (const name of ['final_logit_softcapping', 'attn_logit_softcapping'])
    if (fields.number(key(name), 0) !== 0)
      fields.fail(key(name), 'must be 0 (bounded logits are not supported)');
  if (fields.given(key('attention.sliding_window')) === null)
    fields.fail(key('attention.sliding_window'), 'must be there');
  const layers = fields.layers(key('block_count'), null);
  const pattern = fields.positiveInteger(key('attention.sliding_window_pattern'), 6);
  return {
    has: Array.from({ length: layers }, (_, layer) => (layer + 1) % pattern !== 0),
    ropeTheta: shortest(fields.number(key('rope.freq_base_swa'), 10000)),
    queryScale: layers === layersOf27B ? hiddenSize / heads : headSize,
  };
}

const layersOf27B = 62;

function windowOf(value: unknown): number | null {
  return typeof value === 'number' && value > 0 ? value : null;
}

function factorsOf({ path, tensors }: GgufFile): Float32Array | null {
  const tensor = tensors.get(rotaryFactors);
  return tensor
    ? dequantize(
        tensor.type,
        withReader(path, ({ read }) => read(tensor)),
      )
    : null;
}

function checkTensors({ path, tensors }: GgufFile, network: Network): void {
  const wanted = new Map(namedTensors(network).map((each) => [each.gguf, each.shape]));
  for (const [name, shape] of wanted) {
    const found = tensors.get(name);
    if (!found)
      throw new EmacError('data', `${path}: must hold a tensor ${name}, holds none; use an intact file`);
    if (found.shape.join() !== shape.join())
      throw new EmacError(
        'data',
        `${path}, tensor ${name}: must be [${shape.join(', ')}] by the metadata, got [${found.shape.join(', ')}]; use an intact file`,
      );
  }
  const unknown = [...tensors.keys()].find((name) => !wanted.has(name) && name !== rotaryFactors);
  if (unknown !== undefined)
    throw new EmacError(
      'data',
      `${path}: holds a tensor ${unknown}, which no ${network.architecture} network of this kind has; it is not supported`,
    );
}

const classes = {
  llama: 'LlamaForCausalLM',
  mistral: 'MistralForCausalLM',
  qwen2: 'Qwen2ForCausalLM',
  qwen3: 'Qwen3ForCausalLM',
  gemma3: 'Gemma3ForCausalLM',
};

/** Errors: `config` for biases that no family of transformers has. */
export function configOf(network: Network, path: string): JsonObject {
  const { architecture, attentionBias, outputBias, feedForwardBias, slidingWindow } = network;
  const type = architecture === 'llama' && slidingWindow !== null ? 'mistral' : architecture;
  const isFixed = type === 'qwen2' || type === 'mistral';
  const expected = type === 'qwen2';
  if (isFixed ? attentionBias !== expected || outputBias : attentionBias !== outputBias)
    throw new EmacError(
      'config',
      `${path}: biases of attention must be as in a ${type} model of transformers, are ${attentionBias ? 'at' : 'not at'} queries and ${outputBias ? 'at' : 'not at'} the output; its configuration cannot express them`,
    );
  if (feedForwardBias && type !== 'llama')
    throw new EmacError(
      'config',
      `${path}: a ${type} model has no biases in its MLP, this one has; it is not supported`,
    );
  return {
    architectures: [classes[type]],
    model_type: type === 'gemma3' ? 'gemma3_text' : type,
    vocab_size: network.vocabulary,
    hidden_size: network.hiddenSize,
    intermediate_size: network.intermediateSize,
    num_hidden_layers: network.layers,
    num_attention_heads: network.heads,
    num_key_value_heads: network.keyValueHeads,
    head_dim: network.headSize,
    ...(network.windowLayers ? gemmaKeys(network.windowLayers, slidingWindow) : { hidden_act: 'silu' }),
    max_position_embeddings: network.positions,
    rms_norm_eps: network.normEpsilon,
    rope_theta: network.ropeTheta,
    rope_scaling: configScaling(network.scaling),
    tie_word_embeddings: network.tiedHead,
    ...(isFixed ? {} : { attention_bias: attentionBias }),
    ...(type === 'llama' && { mlp_bias: feedForwardBias }),
    ...(type === 'mistral' && { sliding_window: slidingWindow }),
    ...((type === 'qwen2' || type === 'qwen3') && { use_sliding_window: false }),
  };
}

function gemmaKeys({ has, ropeTheta, queryScale }: WindowLayers, window: number | null): JsonObject {
  return {
    hidden_activation: 'gelu_pytorch_tanh',
    sliding_window: window,
    layer_types: has.map((each) => (each ? 'sliding_attention' : 'full_attention')),
    rope_local_base_freq: ropeTheta,
    query_pre_attn_scalar: queryScale,
    final_logit_softcapping: null,
    attn_logit_softcapping: null,
  };
}
