/**
 * Sizes of published chat models with any number of layers, as in their `config.json`, and the names of their stored
 * weights. Weights unused here (CLIP's last layer and its norm) are skipped.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { characterTokenizer } from './published-config.ts';

export interface ChatModel {
  readonly layers: { readonly vision: number; readonly llama: number };
  /** content of `config.json` */
  config(layers: ChatModel['layers']): PublishedConfig;
  /** reduced sizes of each part, for trying the commands */
  readonly narrow: { readonly text: object; readonly vision: object };
  /** the name in the files of a tensor's name here */
  storedName(name: string): string;
  /** special tokens by id */
  readonly specialTokens: Readonly<Record<string, number>>;
  /** content of `generation_config.json` */
  readonly generation: object;
  /** a small model of the family, source of the chat template and image processor */
  readonly example: string;
  /** differing settings of the image processor */
  readonly processor: object;
}

interface PublishedConfig {
  readonly text_config: object;
  readonly vision_config: object;
}

/** `Qwen/Qwen2.5-VL-3B-Instruct`, 3.8 billion parameters. */
const qwen25Vl: ChatModel = {
  layers: { vision: 32, llama: 36 },
  config: ({ vision, llama }) => ({
    model_type: 'qwen2_5_vl',
    architectures: ['Qwen2_5_VLForConditionalGeneration'],
    torch_dtype: 'float16',
    vision_start_token_id: 151652,
    vision_end_token_id: 151653,
    image_token_id: 151655,
    video_token_id: 151656,
    tie_word_embeddings: true,
    text_config: {
      model_type: 'qwen2_5_vl_text',
      vocab_size: 151936,
      hidden_size: 2048,
      intermediate_size: 11008,
      num_hidden_layers: llama,
      num_attention_heads: 16,
      num_key_value_heads: 2,
      hidden_act: 'silu',
      rms_norm_eps: 1e-6,
      max_position_embeddings: 128000,
      rope_theta: 1e6,
      rope_scaling: { type: 'mrope', mrope_section: [16, 24, 24] },
      use_sliding_window: false,
      tie_word_embeddings: true,
    },
    vision_config: {
      model_type: 'qwen2_5_vl',
      depth: vision,
      hidden_act: 'silu',
      hidden_size: 1280,
      intermediate_size: 3420,
      num_heads: 16,
      in_chans: 3,
      out_hidden_size: 2048,
      patch_size: 14,
      spatial_merge_size: 2,
      temporal_patch_size: 2,
      window_size: 112,
      fullatt_block_indexes: [7, 15, 23, 31],
    },
  }),
  narrow: {
    text: {
      hidden_size: 128,
      intermediate_size: 256,
      num_attention_heads: 4,
      rope_scaling: { type: 'mrope', mrope_section: [4, 6, 6] },
    },
    vision: { hidden_size: 64, intermediate_size: 128, num_heads: 4, out_hidden_size: 128 },
  },
  storedName: (name) =>
    name
      .replace(/^language_projection\./, 'visual.merger.mlp.')
      .replace(/^language_model\.(lm_head\.|model\.)/, '$1'),
  specialTokens: {
    '<|endoftext|>': 151643,
    '<|im_start|>': 151644,
    '<|im_end|>': 151645,
    '<|vision_start|>': 151652,
    '<|vision_end|>': 151653,
    '<|image_pad|>': 151655,
    '<|video_pad|>': 151656,
  },
  generation: { bos_token_id: 151643, eos_token_id: [151645, 151643], pad_token_id: 151643 },
  example: 'qwen2_5_vl',
  processor: { min_pixels: 3136, max_pixels: 12845056, size: undefined },
};

const resolutions = [
  [336, 672],
  [672, 336],
  [672, 672],
  [1008, 336],
  [336, 1008],
];

/** `llava-hf/llava-v1.6-mistral-7b-hf`, 7.6 billion parameters. */
const llavaNext: ChatModel = {
  layers: { vision: 24, llama: 32 },
  config: ({ vision, llama }) => ({
    model_type: 'llava_next',
    architectures: ['LlavaNextForConditionalGeneration'],
    torch_dtype: 'float16',
    image_token_index: 32000,
    image_grid_pinpoints: resolutions,
    projector_hidden_act: 'gelu',
    vision_feature_layer: -2,
    vision_feature_select_strategy: 'default',
    text_config: {
      model_type: 'mistral',
      vocab_size: 32064,
      hidden_size: 4096,
      intermediate_size: 14336,
      num_hidden_layers: llama,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      hidden_act: 'silu',
      rms_norm_eps: 1e-5,
      max_position_embeddings: 32768,
      rope_theta: 1e6,
      sliding_window: null,
      tie_word_embeddings: false,
    },
    vision_config: {
      model_type: 'clip_vision_model',
      hidden_size: 1024,
      intermediate_size: 4096,
      num_hidden_layers: vision,
      num_attention_heads: 16,
      image_size: 336,
      patch_size: 14,
      hidden_act: 'quick_gelu',
      layer_norm_eps: 1e-5,
    },
  }),
  narrow: {
    text: { hidden_size: 128, intermediate_size: 256, num_attention_heads: 4, num_key_value_heads: 2 },
    vision: { hidden_size: 64, intermediate_size: 128, num_attention_heads: 4 },
  },
  storedName: (name) =>
    name
      .replace(/^language_projection\.0\./, 'multi_modal_projector.linear_1.')
      .replace(/^language_projection\.2\./, 'multi_modal_projector.linear_2.'),
  specialTokens: { '<unk>': 0, '<s>': 1, '</s>': 2, '<image>': 32000, '<pad>': 32001 },
  generation: { bos_token_id: 1, eos_token_id: 2, pad_token_id: 32001 },
  example: 'llava_next_mistral',
  processor: {
    crop_size: { height: 336, width: 336 },
    image_grid_pinpoints: resolutions,
    size: { shortest_edge: 336 },
  },
};

/** By family. */
export const chatModels: Readonly<Record<string, ChatModel>> = {
  qwen2_5_vl: qwen25Vl,
  llava_next: llavaNext,
};

/** With `narrow` the layout is the same and the networks are narrow, but for the vocabulary. */
export function chatConfig(model: ChatModel, layers: ChatModel['layers'], narrow: boolean): object {
  const config = model.config(layers);
  if (!narrow) return config;
  return {
    ...config,
    text_config: { ...config.text_config, ...model.narrow.text },
    vision_config: { ...config.vision_config, ...model.narrow.vision },
  };
}

/** Writes tokenizer, chat template and image processor. */
export function writeChatCompanions(folder: string, { example, specialTokens, processor }: ChatModel): void {
  const from = fileURLToPath(
    new URL(`../../../packages/backbone/fixtures/families/${example}/`, import.meta.url),
  );
  for (const name of ['chat_template.jinja', 'special_tokens_map.json'])
    cpSync(join(from, name), join(folder, name));
  const write = (name: string, json: object) =>
    writeFileSync(join(folder, name), JSON.stringify(json, null, 1));
  const small = JSON.parse(readFileSync(join(from, 'preprocessor_config.json'), 'utf8')) as object;
  write('preprocessor_config.json', { ...small, ...processor });
  write('tokenizer.json', characterTokenizer(specialTokens));
}
