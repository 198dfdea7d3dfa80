/**
 * Puts emma-tiny together: trained parts, tokenizer and configuration in InstructBLIP's layout.
 * Usage: node tools/dist/emma-tiny/assemble.js CORPUS LANGUAGE_MODEL VISION MODEL_FOLDER
 */
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectedTensors, type InstructBlipConfig } from '@emac/backbone';
import { Random } from '@emac/core';
import { createFolder, encodeSafetensors, openSafetensors, readFloat32, writeFileAtomic } from '@emac/files';
import type { Parameters } from './language-model.ts';
import { shareQueries, unshareQueries } from './share-queries.ts';
import { preprocessorConfig, tinyConfig, tinyConfigJson } from './tiny-config.ts';
import { initialVision, visionShapes } from './vision-model.ts';
import { readVocabulary, type TinyVocabulary } from './vocabulary.ts';

const [corpus, languageModel, visionFolder, folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: assemble CORPUS LANGUAGE_MODEL VISION MODEL_FOLDER');

function trainedTensors(config: InstructBlipConfig, vocabulary: TinyVocabulary): Parameters {
  const parameters: Parameters = new Map();
  const random = Random.fromSeed('emma-tiny untrained');
  const eye = visionFile(config, vocabulary);
  const language = openSafetensors(join(languageModel!, 'state.safetensors'));
  for (const [name, expected] of expectedTensors(config)) {
    const shape = expected.map((size) => size ?? vocabulary.size);
    const size = shape.reduce((product, dimension) => product * dimension, 1);
    const trained =
      eye.get(name)?.data ?? (language.tensors.has(name) ? readFloat32(language, name) : undefined);
    const stream = random.stream(name);
    parameters.set(name, {
      shape,
      data: trained ?? Float32Array.from({ length: size }, () => 0.02 * stream.normal()),
    });
  }
  return parameters;
}

/** The trained eye, or that of a model folder, or an untrained one. */
function visionFile(config: InstructBlipConfig, vocabulary: TinyVocabulary): Parameters {
  const shapes = visionShapes(config, vocabulary.size);
  const parameters = initialVision(shapes, Random.fromSeed('untrained eye'));
  const [trained, shipped] = ['vision', 'model'].map((name) => join(visionFolder!, `${name}.safetensors`));
  const path = [trained, shipped].find((each) => existsSync(each!));
  if (path === undefined) return parameters;
  const file = openSafetensors(path);
  for (const [name, { data }] of parameters) if (file.tensors.has(name)) data.set(readFloat32(file, name));
  if (path === shipped) unshareQueries(parameters, config.qformer);
  return parameters;
}

function main(): void {
  const vocabulary = readVocabulary(join(corpus!, 'tokenizer.json'));
  const imageToken = vocabulary.tokenizer.tokenId('<image>')!;
  const config = tinyConfig(vocabulary.size, imageToken);
  const parameters = trainedTensors(config, vocabulary);
  shareQueries(parameters, config.qformer);
  createFolder(join(folder!, 'qformer_tokenizer'));
  const entries = new Map(
    [...parameters].map(([name, { shape, data }]) => [
      name,
      { dtype: 'F32' as const, shape: [...shape], data },
    ]),
  );
  writeFileAtomic(join(folder!, 'model.safetensors'), encodeSafetensors(entries, { format: 'pt' }));
  const json = (name: string, content: object) =>
    writeFileSync(join(folder!, name), JSON.stringify(content, null, 2) + '\n');
  json('config.json', tinyConfigJson(vocabulary.size, imageToken));
  json('preprocessor_config.json', preprocessorConfig(config.vision.imageSize));
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
    copyFileSync(join(corpus!, 'tokenizer.json'), join(folder!, name));
  const size = [...parameters.values()].reduce((sum, { data }) => sum + data.length, 0);
  process.stdout.write(`${folder}: ${size} parameters\n`);
}

main();
