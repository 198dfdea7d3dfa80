/**
 * Puts a tiny model together: trained weights, tokenizer and configuration in InstructBLIP's layout. The Q-Former's text weights, which are
 * never used, are zeros.
 */
import { join } from 'node:path';
import { expectedTensors, parseModelConfig } from '@emac/backbone';
import { openSafetensors, readFloat32 } from '@emac/files';
import { writeModelFolder, type ModelParts } from '../emma-tiny/model-folder.ts';
import { readVocabulary } from '../emma-tiny/vocabulary.ts';

/** `trained` holds tokenizer.json and the state; `configJson` gives the content of config.json. */
export function assemble(
  trained: string,
  folder: string,
  configJson: (vocabulary: number, imageToken: number) => ModelParts['config'],
): void {
  const tokenizerFile = join(trained, 'tokenizer.json');
  const { size, tokenizer } = readVocabulary(tokenizerFile);
  const config = configJson(size, tokenizer.tokenId('<image>')!);
  const state = openSafetensors(join(trained, 'state.safetensors'));
  const parameters = new Map(
    [...expectedTensors(parseModelConfig(config, folder))].map(([name, expected]) => {
      const shape = expected.map((length) => length ?? size);
      const values = shape.reduce((product, dimension) => product * dimension, 1);
      const data = state.tensors.has(name) ? readFloat32(state, name) : new Float32Array(values);
      return [name, { shape, data }];
    }),
  );
  writeModelFolder(folder, { parameters, config, tokenizerFile });
}
