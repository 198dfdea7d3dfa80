/** `config.json` and `preprocessor_config.json` of a tiny model, in InstructBLIP's form: those of emma-tiny with other sizes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseModelConfig, type InstructBlipConfig } from '@emac/backbone';
import { modelFolder } from '@emac/emma-tiny';
import type { TinyVocabulary } from './vocabulary.ts';

/** The sizes that differ between tiny models. */
export interface TinySizes {
  readonly imageSize: number;
  readonly patchSize: number;
  /** of the ViT and the Q-Former, a multiple of their heads' 24; emma-tiny's by default */
  readonly eyeWidth?: number;
  readonly eyeLayers: number;
  readonly queryTokens: number;
  /** of the language model, a multiple of its heads' 32; emma-tiny's by default */
  readonly textWidth?: number;
  readonly textLayers: number;
  /** width of the language model's feed-forward layers */
  readonly feedForward: number;
}

type Json = Readonly<Record<string, unknown>>;

/** A file of emma-tiny's folder, the template of all. */
export function shippedFile<Content = Json>(name: string): Content {
  return JSON.parse(readFileSync(join(modelFolder, name), 'utf8')) as Content;
}

export function configJson(sizes: TinySizes, { size, tokenizer }: TinyVocabulary): Json {
  const shipped = shippedFile<Json & Record<'qformer_config' | 'text_config' | 'vision_config', Json>>(
    'config.json',
  );
  const eye = sizes.eyeWidth && eyeWidths(sizes.eyeWidth);
  return {
    ...shipped,
    image_token_index: tokenizer.tokenId('<image>')!,
    num_query_tokens: sizes.queryTokens,
    qformer_config: {
      ...shipped.qformer_config,
      ...eye,
      ...(eye && { encoder_hidden_size: sizes.eyeWidth }),
      vocab_size: size,
    },
    text_config: {
      ...shipped.text_config,
      ...(sizes.textWidth && textWidths(sizes.textWidth)),
      intermediate_size: sizes.feedForward,
      num_hidden_layers: sizes.textLayers,
      vocab_size: size,
    },
    vision_config: {
      ...shipped.vision_config,
      ...eye,
      image_size: sizes.imageSize,
      num_hidden_layers: sizes.eyeLayers,
      patch_size: sizes.patchSize,
    },
  };
}

function eyeWidths(width: number): Json {
  return { hidden_size: width, intermediate_size: 2 * width, num_attention_heads: width / 24 };
}

function textWidths(width: number): Json {
  return { hidden_size: width, num_attention_heads: width / 32, num_key_value_heads: width / 32 };
}

export function tinyConfig(sizes: TinySizes, vocabulary: TinyVocabulary): InstructBlipConfig {
  return parseModelConfig(configJson(sizes, vocabulary), 'config.json');
}

/** CLIP's mean and deviation, as InstructBLIP. */
export function preprocessorConfig({ imageSize }: Pick<TinySizes, 'imageSize'>): Json {
  return { ...shippedFile('preprocessor_config.json'), size: { height: imageSize, width: imageSize } };
}
