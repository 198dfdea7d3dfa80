/** Sizes of lewis-tiny: `config.json` in InstructBLIP's form, where they are not emma-tiny's. */
import { parseModelConfig, type InstructBlipConfig } from '@emac/backbone';
import { tinyConfigJson } from '../emma-tiny/tiny-config.ts';

/** The file's content for a vocabulary of this size. */
export function lewisTinyConfigJson(vocabulary: number, imageToken: number) {
  const config = tinyConfigJson(vocabulary, imageToken);
  return {
    ...config,
    num_query_tokens: 8,
    text_config: { ...config.text_config, intermediate_size: 256, num_hidden_layers: 3 },
    vision_config: { ...config.vision_config, image_size: 64, patch_size: 8, num_hidden_layers: 2 },
  };
}

export function lewisTinyConfig(vocabulary: number, imageToken: number): InstructBlipConfig {
  return parseModelConfig(lewisTinyConfigJson(vocabulary, imageToken), 'lewis-tiny');
}
