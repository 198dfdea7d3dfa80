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
  readonly eyeLayers: number;
  readonly queryTokens: number;
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
  return {
    ...shipped,
    image_token_index: tokenizer.tokenId('<image>')!,
    num_query_tokens: sizes.queryTokens,
    qformer_config: { ...shipped.qformer_config, vocab_size: size },
    text_config: {
      ...shipped.text_config,
      intermediate_size: sizes.feedForward,
      num_hidden_layers: sizes.textLayers,
      vocab_size: size,
    },
    vision_config: {
      ...shipped.vision_config,
      image_size: sizes.imageSize,
      num_hidden_layers: sizes.eyeLayers,
      patch_size: sizes.patchSize,
    },
  };
}

export function tinyConfig(sizes: TinySizes, vocabulary: TinyVocabulary): InstructBlipConfig {
  return parseModelConfig(configJson(sizes, vocabulary), 'config.json');
}

/** CLIP's mean and deviation, as InstructBLIP. */
export function preprocessorConfig({ imageSize }: Pick<TinySizes, 'imageSize'>): Json {
  return { ...shippedFile('preprocessor_config.json'), size: { height: imageSize, width: imageSize } };
}
