/** Sizes of vla-tiny: `config.json` in InstructBLIP's form, where they are not emma-tiny's. */
import { parseModelConfig, type InstructBlipConfig } from '@emac/backbone';
import { tinyConfigJson } from '../emma-tiny/tiny-config.ts';

/** The file's content for a vocabulary of this size. */
export function vlaTinyConfigJson(vocabulary: number, imageToken: number) {
  const config = tinyConfigJson(vocabulary, imageToken);
  return {
    ...config,
    num_query_tokens: 12,
    text_config: { ...config.text_config, intermediate_size: 256, num_hidden_layers: 3 },
    vision_config: { ...config.vision_config, image_size: 112, patch_size: 14, num_hidden_layers: 2 },
  };
}

export function vlaTinyConfig(vocabulary: number, imageToken: number): InstructBlipConfig {
  return parseModelConfig(vlaTinyConfigJson(vocabulary, imageToken), 'vla-tiny');
}
