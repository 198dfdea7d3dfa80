/**
 * Sizes of a language model alone, by its `model_type`: LLaMA, Mistral (arXiv 2310.06825), Qwen2 (arXiv 2407.10671), Qwen3
 * (arXiv 2505.09388) and Gemma 3 (arXiv 2503.19786). Missing keys take the defaults of transformers 4.57's configuration classes.
 */
import { fieldsOf, type Fields, type JsonObject } from './json-object.ts';
import { activation, llamaConfig, type LlamaConfig } from './model-config.ts';

interface TextModel {
  readonly defaults: JsonObject;
  /** keys of newer files under their earlier names; default none */
  readonly renamed?: (object: JsonObject, place: string) => JsonObject;
  /** what the class fixes, or its further keys say */
  readonly own: (fields: Fields) => Partial<LlamaConfig>;
}

const qwenDefaults = {
  vocab_size: 151936,
  hidden_size: 4096,
  intermediate_size: 22016,
  num_key_value_heads: 32,
  max_position_embeddings: 32768,
};

const textModels: Readonly<Record<string, TextModel>> = {
  llama: { defaults: {}, own: () => ({}) },
  mistral: {
    defaults: {
      intermediate_size: 14336,
      num_key_value_heads: 8,
      max_position_embeddings: 131072,
      sliding_window: 4096,
    },
    own: (fields) => windowOf(fields),
  },
  qwen2: {
    defaults: qwenDefaults,
    own: (fields) => ({
      ...qwenWindow(fields),
      attentionBias: true,
      outputBias: false,
      feedForwardBias: false,
    }),
  },
  qwen3: {
    defaults: { ...qwenDefaults, head_dim: 128 },
    own: (fields) => ({ ...qwenWindow(fields), feedForwardBias: false, queryKeyNorm: true }),
  },
  gemma3_text: {
    defaults: {
      vocab_size: 262208,
      hidden_size: 2304,
      intermediate_size: 9216,
      num_hidden_layers: 26,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      head_dim: 256,
      hidden_activation: 'gelu_pytorch_tanh',
      max_position_embeddings: 131072,
      rope_theta: 1e6,
      tie_word_embeddings: true,
    },
    renamed: flatRotary,
    own: gemma,
  },
};

/** The known values of `model_type`. */
const textModelTypes: readonly string[] = Object.keys(textModels);

/** Sizes from an object whose `model_type` is one of `textModelTypes`; default LLaMA. Errors: `config` naming the key. */
export function textConfig(object: JsonObject, place: string): LlamaConfig {
  const given = fieldsOf(object, place);
  const type = given.text('model_type', 'llama');
  const model = textModels[type];
  if (!model)
    return given.fail(
      'model_type',
      `must be one of ${textModelTypes.join(', ')} (other language models are not supported)`,
    );
  const { defaults, renamed = (same) => same, own } = model;
  const fields = fieldsOf(withDefaults(renamed(object, place), defaults), place);
  return { ...llamaConfig(fields), ...own(fields) };
}

const layerTypes = ['sliding_attention', 'full_attention'];

/** `rope_parameters` by type of layer, as transformers 5 writes them, under the keys of transformers 4. */
function flatRotary({ rope_parameters: given, ...object }: JsonObject, place: string): JsonObject {
  if (given === undefined || given === null) return object;
  const at = `${place}: rope_parameters`;
  const types = fieldsOf(given as JsonObject, at);
  const [sliding, full] = layerTypes.map(
    (type) =>
      types.object(type) ?? types.fail(type, 'must be there: each type of layer has its own positions'),
  );
  const ofSliding = fieldsOf(sliding!, `${at}: ${layerTypes[0]}`);
  if (ofSliding.text('rope_type', 'default') !== 'default') ofSliding.fail('rope_type', 'must be default');
  return {
    ...object,
    rope_theta: fieldsOf(full!, `${at}: ${layerTypes[1]}`).number('rope_theta', 1e6),
    rope_local_base_freq: ofSliding.number('rope_theta', 10000),
    rope_scaling: full!,
  };
}

/** Windows in some layers with a rotary base of their own, norms on both sides, scaled embeddings. */
function gemma(fields: Fields): Partial<LlamaConfig> {
  for (const key of ['final_logit_softcapping', 'attn_logit_softcapping'])
    if (fields.number(key, 0) !== 0) fields.fail(key, 'must be null (bounded logits are not supported)');
  if (fields.boolean('use_bidirectional_attention', false))
    fields.fail('use_bidirectional_attention', 'must be false');
  const count = fields.layers('num_hidden_layers', null);
  const pattern = fields.positiveInteger('sliding_window_pattern', 6);
  const usual = Array.from({ length: count }, (_, layer) => layerTypes[(layer + 1) % pattern === 0 ? 1 : 0]!);
  return {
    activation: activation(fields, 'gelu_pytorch_tanh', 'hidden_activation'),
    outputBias: fields.boolean('attention_bias', false),
    feedForwardBias: false,
    queryKeyNorm: true,
    normsAddOne: true,
    normsBehind: true,
    attentionScale: fields.number('query_pre_attn_scalar', 256) ** -0.5,
    embeddingScale: Math.fround(Math.sqrt(fields.positiveInteger('hidden_size', null))),
    slidingWindow: fields.positiveInteger('sliding_window', 4096),
    windowLayers: layersWithWindow(fields, usual),
    windowRopeTheta: fields.number('rope_local_base_freq', 10000),
  };
}

/** A null stays: of a window it means none. */
function withDefaults(object: JsonObject, defaults: JsonObject): JsonObject {
  return { ...defaults, ...object };
}

function windowOf(fields: Fields): Partial<LlamaConfig> {
  return fields.number('sliding_window', 0) === 0
    ? {}
    : { slidingWindow: fields.positiveInteger('sliding_window', null) };
}

/**
 * Qwen's window holds in the layers that `layer_types` names, without it from the layer `max_window_layers` on. There is one where
 * `use_sliding_window` says so.
 */
function qwenWindow(fields: Fields): Partial<LlamaConfig> {
  const layers = fields.layers('num_hidden_layers', 32);
  const window = fields.boolean('use_sliding_window', false) ? windowSize(fields) : null;
  const first = window === null ? layers : fields.number('max_window_layers', 28);
  const usual = Array.from({ length: layers }, (_, layer) => layerTypes[layer < first ? 1 : 0]!);
  const windowLayers = layersWithWindow(fields, usual);
  if (!windowLayers.includes(true)) return {};
  if (window === null)
    return fields.fail(
      'layer_types',
      'must name no sliding_attention where use_sliding_window is false or sliding_window null',
    );
  return { slidingWindow: window, ...(windowLayers.includes(false) && { windowLayers }) };
}

/** Missing it is 4096; null means none. */
function windowSize(fields: Fields): number | null {
  return fields.isNull('sliding_window') ? null : fields.positiveInteger('sliding_window', 4096);
}

/** For each layer whether it has a window, from `layer_types`. */
function layersWithWindow(fields: Fields, usual: readonly string[]): readonly boolean[] {
  const types = fields.texts('layer_types', usual);
  if (types.length !== usual.length || types.some((type) => !layerTypes.includes(type)))
    fields.fail('layer_types', `must be ${usual.length} times one of ${layerTypes.join(', ')}`);
  return types.map((type) => type === layerTypes[0]);
}
