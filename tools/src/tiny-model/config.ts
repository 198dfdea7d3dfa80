/** `config.json` and `preprocessor_config.json` of a tiny model, in InstructBLIP's form. */
import { parseModelConfig, type InstructBlipConfig } from '@emac/backbone';
import type { TinyVocabulary } from './vocabulary.ts';

/** What is not alike in all tiny models. */
export interface TinySizes {
  readonly imageSize: number;
  readonly patchSize: number;
  readonly eyeLayers: number;
  readonly queryTokens: number;
  readonly textLayers: number;
  /** width of the language model's feed-forward layers */
  readonly feedForward: number;
}

/** The file's content. */
export function configJson(sizes: TinySizes, { size: vocabulary, tokenizer }: TinyVocabulary) {
  return {
    architectures: ['InstructBlipForConditionalGeneration'],
    dtype: 'float32',
    image_token_index: tokenizer.tokenId('<image>')!,
    initializer_factor: 1,
    initializer_range: 0.02,
    model_type: 'instructblip',
    num_query_tokens: sizes.queryTokens,
    qformer_config: {
      attention_probs_dropout_prob: 0,
      cross_attention_frequency: 1,
      encoder_hidden_size: 96,
      hidden_act: 'gelu',
      hidden_dropout_prob: 0,
      hidden_size: 96,
      initializer_range: 0.02,
      intermediate_size: 192,
      layer_norm_eps: 1e-12,
      max_position_embeddings: 64,
      model_type: 'instructblip_qformer',
      num_attention_heads: 4,
      num_hidden_layers: 2,
      pad_token_id: 3,
      position_embedding_type: 'absolute',
      vocab_size: vocabulary,
    },
    text_config: {
      attention_bias: false,
      attention_dropout: 0,
      bos_token_id: 1,
      eos_token_id: 2,
      head_dim: 32,
      hidden_act: 'silu',
      hidden_size: 128,
      initializer_range: 0.02,
      intermediate_size: sizes.feedForward,
      max_position_embeddings: 2048,
      mlp_bias: false,
      model_type: 'llama',
      num_attention_heads: 4,
      num_hidden_layers: sizes.textLayers,
      num_key_value_heads: 4,
      pad_token_id: 3,
      pretraining_tp: 1,
      rms_norm_eps: 1e-6,
      rope_scaling: null,
      rope_theta: 10000,
      tie_word_embeddings: false,
      use_cache: true,
      vocab_size: vocabulary,
    },
    transformers_version: '4.57.1',
    use_decoder_only_language_model: true,
    vision_config: {
      attention_dropout: 0,
      hidden_act: 'gelu',
      hidden_size: 96,
      image_size: sizes.imageSize,
      initializer_range: 1e-10,
      intermediate_size: 192,
      layer_norm_eps: 1e-6,
      model_type: 'instructblip_vision_model',
      num_attention_heads: 4,
      num_hidden_layers: sizes.eyeLayers,
      patch_size: sizes.patchSize,
      qkv_bias: true,
    },
  };
}

export function tinyConfig(sizes: TinySizes, vocabulary: TinyVocabulary): InstructBlipConfig {
  return parseModelConfig(configJson(sizes, vocabulary), 'config.json');
}

/** `preprocessor_config.json`: CLIP's mean and deviation, as InstructBLIP. */
export function preprocessorConfig(imageSize: number) {
  return {
    do_convert_rgb: true,
    do_normalize: true,
    do_rescale: true,
    do_resize: true,
    image_mean: [0.48145466, 0.4578275, 0.40821073],
    image_processor_type: 'BlipImageProcessor',
    image_std: [0.26862954, 0.26130258, 0.27577711],
    resample: 3,
    rescale_factor: 1 / 255,
    size: { height: imageSize, width: imageSize },
  };
}
