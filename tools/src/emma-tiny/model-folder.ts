/** A trained model as a folder in InstructBLIP's layout. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder, encodeSafetensors, writeFileAtomic } from '@emac/files';
import type { Parameters } from './language-model.ts';
import { preprocessorConfig } from './tiny-config.ts';

export interface ModelParts {
  readonly parameters: Parameters;
  /** content of config.json */
  readonly config: { readonly vision_config: { readonly image_size: number } };
  /** a `tokenizer.json` with the special tokens of emma-tiny's */
  readonly tokenizerFile: string;
}

export function writeModelFolder(folder: string, { parameters, config, tokenizerFile }: ModelParts): void {
  createFolder(join(folder, 'qformer_tokenizer'));
  const entries = new Map(
    [...parameters].map(([name, { shape, data }]) => [
      name,
      { dtype: 'F32' as const, shape: [...shape], data },
    ]),
  );
  writeFileAtomic(join(folder, 'model.safetensors'), encodeSafetensors(entries, { format: 'pt' }));
  const json = (name: string, content: object) =>
    writeFileSync(join(folder, name), JSON.stringify(content, null, 2) + '\n');
  json('config.json', config);
  json('preprocessor_config.json', preprocessorConfig(config.vision_config.image_size));
  json('generation_config.json', { bos_token_id: 1, eos_token_id: 2, pad_token_id: 3 });
  json('tokenizer_config.json', {
    bos_token: '<s>',
    clean_up_tokenization_spaces: false,
    eos_token: '</s>',
    pad_token: '<pad>',
    tokenizer_class: 'PreTrainedTokenizerFast',
    unk_token: '<unk>',
  });
  for (const name of ['tokenizer.json', 'qformer_tokenizer/tokenizer.json'])
    copyFileSync(tokenizerFile, join(folder, name));
}
