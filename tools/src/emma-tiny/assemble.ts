/**
 * Puts emma-tiny together: trained parts, tokenizer and configuration in InstructBLIP's layout.
 * Usage: node tools/dist/emma-tiny/assemble.js CORPUS LANGUAGE_MODEL VISION MODEL_FOLDER
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expectedTensors, type InstructBlipConfig } from '@emac/backbone';
import { Random } from '@emac/core';
import { openSafetensors, readFloat32 } from '@emac/files';
import type { Parameters } from './language-model.ts';
import { writeModelFolder } from './model-folder.ts';
import { shareQueries, unshareQueries } from './share-queries.ts';
import { tinyConfig, tinyConfigJson } from './tiny-config.ts';
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
  writeModelFolder(folder!, {
    parameters,
    config: tinyConfigJson(vocabulary.size, imageToken),
    tokenizerFile: join(corpus!, 'tokenizer.json'),
  });
  const size = [...parameters.values()].reduce((sum, { data }) => sum + data.length, 0);
  process.stdout.write(`${folder}: ${size} parameters\n`);
}

main();
