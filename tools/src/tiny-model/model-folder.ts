/** A trained model as a folder in InstructBLIP's layout. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectedTensors } from '@emac/backbone';
import { createFolder, encodeSafetensors, writeFileAtomic } from '@emac/files';
import { configJson, preprocessorConfig, shippedFile, tinyConfig, type TinySizes } from './config.ts';
import { sizeOf, type Parameters } from './parameters.ts';
import { readVocabulary } from './vocabulary.ts';

export interface ModelParts {
  readonly sizes: TinySizes;
  /** a `tokenizer.json` as `writeTokenizer` makes them */
  readonly tokenizerFile: string;
  /** values of a tensor of that size */
  readonly valuesOf: (name: string, size: number) => Float32Array;
}

export function writeModelFolder(folder: string, { sizes, tokenizerFile, valuesOf }: ModelParts): Parameters {
  const vocabulary = readVocabulary(tokenizerFile);
  const parameters: Parameters = new Map();
  for (const [name, expected] of expectedTensors(tinyConfig(sizes, vocabulary))) {
    const shape = expected.map((length) => length ?? vocabulary.size);
    parameters.set(name, { shape, data: valuesOf(name, sizeOf(shape)) });
  }
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
  json('config.json', configJson(sizes, vocabulary));
  json('preprocessor_config.json', preprocessorConfig(sizes));
  for (const name of ['generation_config.json', 'tokenizer_config.json']) json(name, shippedFile(name));
  for (const name of ['tokenizer.json', 'qformer_tokenizer/tokenizer.json'])
    copyFileSync(tokenizerFile, join(folder, name));
  return parameters;
}
