/** Sizes of rl-tiny: `config.json` in InstructBLIP's form, where they are not emma-tiny's. */
import { parseModelConfig, type InstructBlipConfig } from '@emac/backbone';
import { tinyConfigJson } from '../emma-tiny/tiny-config.ts';

/** A cell of `MiniGrid-DoorKey-6x6` is one patch. */
const imageSize = 168;
const patchSize = 28;

/** The file's content for a vocabulary of this size. */
export function rlTinyConfigJson(vocabulary: number, imageToken: number) {
  const config = tinyConfigJson(vocabulary, imageToken);
  return {
    ...config,
    num_query_tokens: 12,
    text_config: { ...config.text_config, intermediate_size: 256, num_hidden_layers: 3 },
    vision_config: {
      ...config.vision_config,
      image_size: imageSize,
      patch_size: patchSize,
      num_hidden_layers: 2,
    },
  };
}

export function rlTinyConfig(vocabulary: number, imageToken: number): InstructBlipConfig {
  return parseModelConfig(rlTinyConfigJson(vocabulary, imageToken), 'rl-tiny');
}
