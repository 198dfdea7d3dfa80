/** Sizes of `Salesforce/instructblip-vicuna-7b` (7.9 billion parameters), with any number of layers, and a tokenizer. */

export interface LayerCounts {
  readonly vision: number;
  readonly qformer: number;
  readonly llama: number;
}

/** As published; 32,000 tokens and the one for padding. */
export const publishedLayers: LayerCounts = { vision: 39, qformer: 12, llama: 32 };

/** Content of `config.json`. */
export function publishedConfig(layers: LayerCounts): object {
  return {
    model_type: 'instructblip',
    architectures: ['InstructBlipForConditionalGeneration'],
    torch_dtype: 'float16',
    num_query_tokens: 32,
    image_token_index: 32000,
    vision_config: {
      model_type: 'instructblip_vision_model',
      hidden_size: 1408,
      intermediate_size: 6144,
      num_hidden_layers: layers.vision,
      num_attention_heads: 16,
      image_size: 224,
      patch_size: 14,
      hidden_act: 'gelu',
      layer_norm_eps: 1e-6,
      qkv_bias: true,
    },
    qformer_config: {
      model_type: 'instructblip_qformer',
      vocab_size: 30523,
      hidden_size: 768,
      intermediate_size: 3072,
      num_hidden_layers: layers.qformer,
      num_attention_heads: 12,
      max_position_embeddings: 512,
      cross_attention_frequency: 2,
      encoder_hidden_size: 1408,
      hidden_act: 'gelu',
      layer_norm_eps: 1e-12,
    },
    text_config: {
      model_type: 'llama',
      vocab_size: 32001,
      hidden_size: 4096,
      intermediate_size: 11008,
      num_hidden_layers: layers.llama,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      hidden_act: 'silu',
      rms_norm_eps: 1e-6,
      max_position_embeddings: 2048,
      tie_word_embeddings: false,
    },
  };
}

const special = { '<unk>': 0, '<s>': 1, '</s>': 2 };
const characters = [
  ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;!?>()-',
  'Ġ',
  'Ċ',
  '[',
  ']',
  '/',
];

/**
 * Content of `tokenizer.json`: one token for each character, numbered from 3 on, so that texts of any number of tokens are
 * easy to make. Special tokens have the ids given.
 */
export function characterTokenizer(specialTokens: Readonly<Record<string, number>> = special): object {
  const added = Object.entries(specialTokens);
  return {
    added_tokens: added.map(([content, id]) => ({ id, content, special: true, normalized: false })),
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: false },
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      vocab: Object.fromEntries([...added, ...characters.map((token, place) => [token, place + 3])]),
      merges: [],
    },
  };
}

/**
 * The same with narrow networks, for trying the commands of the published size: 1,408, 768 and 4,096 become 64, 64 and
 * 128. It says nothing about the published model's time or memory.
 */
export function narrowConfig(layers: LayerCounts): object {
  const published = publishedConfig(layers) as Record<string, object>;
  const heads = { num_attention_heads: 4, num_key_value_heads: 4 };
  return {
    ...published,
    vision_config: {
      ...published['vision_config'],
      hidden_size: 64,
      intermediate_size: 128,
      num_attention_heads: 4,
    },
    qformer_config: {
      ...published['qformer_config'],
      hidden_size: 64,
      intermediate_size: 128,
      num_attention_heads: 4,
      encoder_hidden_size: 64,
    },
    text_config: { ...published['text_config'], hidden_size: 128, intermediate_size: 256, ...heads },
  };
}
