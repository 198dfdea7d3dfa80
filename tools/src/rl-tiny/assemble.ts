/**
 * Puts rl-tiny together: trained weights, tokenizer and configuration in InstructBLIP's layout. The Q-Former's text weights, which are
 * never used, are zeros.
 * Usage: node tools/dist/rl-tiny/assemble.js TRAINED MODEL_FOLDER
 */
import { join } from 'node:path';
import { expectedTensors } from '@emac/backbone';
import { openSafetensors, readFloat32 } from '@emac/files';
import { writeModelFolder } from '../emma-tiny/model-folder.ts';
import { readVocabulary } from '../emma-tiny/vocabulary.ts';
import { rlTinyConfig, rlTinyConfigJson } from './config.ts';

const [trained, folder] = process.argv.slice(2);
if (!trained || !folder) throw new Error('usage: assemble TRAINED MODEL_FOLDER');

const tokenizerFile = join(trained, 'tokenizer.json');
const vocabulary = readVocabulary(tokenizerFile);
const imageToken = vocabulary.tokenizer.tokenId('<image>')!;
const state = openSafetensors(join(trained, 'state.safetensors'));
const parameters = new Map(
  [...expectedTensors(rlTinyConfig(vocabulary.size, imageToken))].map(([name, expected]) => {
    const shape = expected.map((size) => size ?? vocabulary.size);
    const size = shape.reduce((product, dimension) => product * dimension, 1);
    const data = state.tensors.has(name) ? readFloat32(state, name) : new Float32Array(size);
    return [name, { shape, data }];
  }),
);
writeModelFolder(folder, {
  parameters,
  config: rlTinyConfigJson(vocabulary.size, imageToken),
  tokenizerFile,
});
