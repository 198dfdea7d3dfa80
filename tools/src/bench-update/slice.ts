/**
 * A sixteenth of InstructBLIP-Vicuna-7B with random float32 weights and published widths: 2 of 32 LLaMA layers, 2 of 39
 * vision layers, 1 of 12 Q-Former layers, and 2000 of 32000 vocabulary rows. So its parts have about the same shares of
 * work as in the whole model. Tokenizers and image processor are emma-tiny's.
 */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '@emac/files';
import { modelFolder } from '@emac/emma-tiny';
import { publishedConfig } from '../large-model/published-config.ts';
import { writeShards } from '../large-model/write-shards.ts';

const sliceLayers = { vision: 2, qformer: 1, llama: 2 };
const vocabulary = 2000;

/** Writes the folder and gives its number of parameters. */
export function writeSlice(folder: string): number {
  const whole = publishedConfig(sliceLayers) as { text_config: object; qformer_config: object };
  const config = {
    ...whole,
    torch_dtype: 'float32',
    image_token_index: 4,
    text_config: { ...whole.text_config, vocab_size: vocabulary },
    qformer_config: { ...whole.qformer_config, vocab_size: vocabulary },
  };
  createFolder(folder);
  for (const name of [
    'tokenizer.json',
    'tokenizer_config.json',
    'preprocessor_config.json',
    'qformer_tokenizer',
  ])
    cpSync(join(modelFolder, name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config, null, 1));
  writeFileSync(join(folder, 'generation_config.json'), JSON.stringify({ eos_token_id: 2 }));
  return writeShards(folder, config, { seed: 'slice', dtype: 'F32' });
}
