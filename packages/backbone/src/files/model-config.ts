/**
 * Sizes of a model: of the language model, common to all families, and of InstructBLIP from its `config.json`. Missing keys take the defaults of Hugging Face's
 * InstructBlipVisionConfig, InstructBlipQFormerConfig and LlamaConfig (transformers 4.57). Departures: only decoder-only LLaMA language models, absolute
 * Q-Former positions and the rotary scalings of `rope-scaling.ts` are accepted. The file's begin, end and padding ids are ignored, because published files have wrong ones.
 */
import { join } from '@emac/platform';

import { isActivation, type Activation } from '../networks/activation.ts';
import { readRopeScaling, type RopeScaling } from './rope-scaling.ts';
import { fieldsOf, readJsonObject, type Fields, type JsonObject } from './json-object.ts';

export interface VisionConfig {
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly imageSize: number;
  readonly patchSize: number;
  readonly activation: Activation;
  readonly normEpsilon: number;
  /** of the norm after the last layer; LAVIS gives it another value than the others */
  readonly finalNormEpsilon: number;
  readonly queryKeyValueBias: boolean;
}

export interface QFormerConfig {
  readonly vocabulary: number;
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly activation: Activation;
  readonly maxPositions: number;
  readonly normEpsilon: number;
  /** layers 0, f, 2f, … look at the image */
  readonly crossAttentionFrequency: number;
  /** width of the image tokens: the vision model's hidden size */
  readonly encoderHiddenSize: number;
}

export interface LlamaConfig {
  /** as the file says; the header of the weights decides (`ModelFiles.vocabulary`) */
  readonly vocabulary: number;
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly activation: Activation;
  readonly maxPositions: number;
  readonly normEpsilon: number;
  readonly ropeTheta: number;
  /** absent: angles as published for LLaMA */
  readonly ropeScaling?: RopeScaling;
  readonly attentionBias: boolean;
  /** of the product after attention; absent: as `attentionBias` */
  readonly outputBias?: boolean;
  readonly feedForwardBias: boolean;
  /** queries and keys have a norm per head (Qwen3); absent: none */
  readonly queryKeyNorm?: true;
  readonly tiedHead: boolean;
  /** pairs of a head per axis of positions: first, second, third (Qwen2-VL); absent: one axis */
  readonly rotarySections?: readonly number[];
  /** the axes alternate from pair to pair (Qwen3-VL); absent: pairs of one axis are adjacent */
  readonly rotaryInterleaved?: true;
  /** how many layers, from the first on, get further features of the visual tokens added to their output (Qwen3-VL); absent: none */
  readonly deepLayers?: number;
  /** how many positions a position sees, itself included (Mistral); absent: all before it */
  readonly slidingWindow?: number;
  /** for each layer whether the window holds there, or `fed`: an input of the graph says so; absent: in all layers */
  readonly windowLayers?: readonly boolean[] | 'fed';
  /** rotary base of layers with a window, without scaling; absent: as the others */
  readonly windowRopeTheta?: number;
  /** what scores are multiplied by; absent: 1 / √headSize */
  readonly attentionScale?: number;
  /** what the embeddings of the text are multiplied by; absent: nothing */
  readonly embeddingScale?: number;
  /** norms multiply by 1 + their weight (Gemma); absent: by the weight */
  readonly normsAddOne?: true;
  /** a layer has norms behind attention and feed-forward too, before the sums (Gemma 3); absent: only before them */
  readonly normsBehind?: true;
  /** where visual tokens stand: inside the text, or there are none; absent: before the text */
  readonly visualTokens?: 'within' | 'none';
}

/** The sizes common to all families; each family adds those of its vision encoder. */
export interface ModelConfig {
  readonly llama: LlamaConfig;
  /** id of the token that stands for a picture; null if the file names none */
  readonly imageToken: number | null;
}

export interface InstructBlipConfig extends ModelConfig {
  readonly vision: VisionConfig;
  readonly qformer: QFormerConfig;
  /** Nq, the number of visual tokens */
  readonly queryTokens: number;
}

/** Sizes from `folder/config.json`. Errors: `missing`, or `config` naming the key. */
export function readModelConfig(folder: string): InstructBlipConfig {
  const file = join(folder, 'config.json');
  return parseModelConfig(readJsonObject(file), file);
}

/** The same from a parsed object; `place` starts error messages. */
export function parseModelConfig(object: JsonObject, place: string): InstructBlipConfig {
  const top = fieldsOf(object, place);
  const type = top.text('model_type', 'instructblip');
  if (type !== 'instructblip') top.fail('model_type', 'must be "instructblip"');
  const section = (key: string): Fields => fieldsOf(top.object(key) ?? {}, `${place}: ${key}`);
  const vision = visionConfig(section('vision_config'));
  return {
    vision,
    qformer: qformerConfig(section('qformer_config'), vision.hiddenSize),
    llama: instructBlipLlama(section('text_config')),
    queryTokens: top.positiveInteger('num_query_tokens', 32),
    imageToken: top.tokenId(object['image_token_index'] == null ? 'image_token_id' : 'image_token_index'),
  };
}

function visionConfig(fields: Fields): VisionConfig {
  const normEpsilon = fields.number('layer_norm_eps', 1e-6);
  const config: VisionConfig = {
    hiddenSize: fields.positiveInteger('hidden_size', 1408),
    intermediateSize: fields.positiveInteger('intermediate_size', 6144),
    layers: fields.layers('num_hidden_layers', 39),
    heads: fields.positiveInteger('num_attention_heads', 16),
    imageSize: fields.positiveInteger('image_size', 224),
    patchSize: fields.positiveInteger('patch_size', 14),
    activation: activation(fields, 'gelu'),
    normEpsilon,
    finalNormEpsilon: fields.number('final_layer_norm_eps', normEpsilon),
    queryKeyValueBias: fields.boolean('qkv_bias', true),
  };
  checkHeads(fields, config);
  if (config.imageSize < config.patchSize)
    fields.fail('image_size', `must be at least patch_size ${config.patchSize}`);
  return config;
}

function qformerConfig(fields: Fields, encoderHiddenSize: number): QFormerConfig {
  if (fields.text('position_embedding_type', 'absolute') !== 'absolute')
    fields.fail('position_embedding_type', 'must be "absolute" (relative positions are not supported)');
  const config: QFormerConfig = {
    vocabulary: fields.positiveInteger('vocab_size', 30522),
    hiddenSize: fields.positiveInteger('hidden_size', 768),
    intermediateSize: fields.positiveInteger('intermediate_size', 3072),
    layers: fields.layers('num_hidden_layers', 12),
    heads: fields.positiveInteger('num_attention_heads', 12),
    activation: activation(fields, 'gelu'),
    maxPositions: fields.positiveInteger('max_position_embeddings', 512),
    normEpsilon: fields.number('layer_norm_eps', 1e-12),
    crossAttentionFrequency: fields.positiveInteger('cross_attention_frequency', 2),
    encoderHiddenSize,
  };
  checkHeads(fields, config);
  return config;
}

function instructBlipLlama(fields: Fields): LlamaConfig {
  if (fields.text('model_type', 'llama') !== 'llama')
    fields.fail('model_type', 'must be "llama" (other language models are not supported)');
  return llamaConfig(fields);
}

/** Sizes of a language model with LLaMA's names and defaults. Errors: `config` naming the key. */
export function llamaConfig(fields: Fields): LlamaConfig {
  const hiddenSize = fields.positiveInteger('hidden_size', 4096);
  const heads = fields.positiveInteger('num_attention_heads', 32);
  const config: LlamaConfig = {
    vocabulary: fields.positiveInteger('vocab_size', 32000),
    hiddenSize,
    intermediateSize: fields.positiveInteger('intermediate_size', 11008),
    layers: fields.layers('num_hidden_layers', 32),
    heads,
    keyValueHeads: fields.positiveInteger('num_key_value_heads', heads),
    headSize: fields.positiveInteger('head_dim', Math.floor(hiddenSize / heads)),
    activation: activation(fields, 'silu'),
    maxPositions: fields.positiveInteger('max_position_embeddings', 2048),
    normEpsilon: fields.number('rms_norm_eps', 1e-6),
    ...rotaryOf(fields),
    attentionBias: fields.boolean('attention_bias', false),
    feedForwardBias: fields.boolean('mlp_bias', false),
    tiedHead: fields.boolean('tie_word_embeddings', false),
  };
  if (config.heads % config.keyValueHeads !== 0)
    fields.fail('num_key_value_heads', `must divide num_attention_heads ${config.heads}`);
  if (config.headSize % 2 !== 0) fields.fail('head_dim', 'must be even for rotary embeddings');
  return config;
}

/** The rotary base, from `rope_theta` or (newer files) `rope_parameters`, and its scaling. */
function rotaryOf(fields: Fields): Pick<LlamaConfig, 'ropeTheta' | 'ropeScaling'> {
  const parameters = fieldsOf(fields.object('rope_parameters') ?? {}, 'rope_parameters');
  for (const each of [fields, parameters])
    if (each.number('partial_rotary_factor', 1) !== 1) each.fail('partial_rotary_factor', 'must be 1');
  const ropeScaling = readRopeScaling(fields);
  return {
    ropeTheta: fields.number('rope_theta', parameters.number('rope_theta', 10000)),
    ...(ropeScaling && { ropeScaling }),
  };
}

/** The activation named in `hidden_act`, or another key. */
export function activation(fields: Fields, fallback: Activation, key = 'hidden_act'): Activation {
  const name = fields.text(key, fallback);
  return isActivation(name)
    ? name
    : fields.fail(key, 'must be gelu, gelu_new, gelu_pytorch_tanh, quick_gelu or silu');
}

/** Errors: `config` if heads do not divide the width. */
export function checkHeads(
  fields: Fields,
  { hiddenSize, heads }: { hiddenSize: number; heads: number },
): void {
  if (hiddenSize % heads !== 0) fields.fail('num_attention_heads', `must divide hidden_size ${hiddenSize}`);
}
