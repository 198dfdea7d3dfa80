/**
 * Puts emma-tiny together: trained parts, tokenizer and configuration in InstructBLIP's layout.
 * Usage: node tools/dist/emma-tiny/assemble.js CORPUS LANGUAGE_MODEL VISION MODEL_FOLDER [--size tiny]
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '@emac/core';
import { openSafetensors, readFloat32 } from '@emac/files';
import { tinyConfig } from '../tiny-model/config.ts';
import { writeModelFolder } from '../tiny-model/model-folder.ts';
import { takeOver, type Parameters } from '../tiny-model/parameters.ts';
import { readVocabulary } from '../tiny-model/vocabulary.ts';
import { emmaTinySizes, sizeOption } from './sizes.ts';
import { initialVision } from './vision-model.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { size: sizeOption } });
const [corpus, languageModel, visionFolder, folder] = positionals;
if (!corpus || !languageModel || !visionFolder || !folder)
  throw new Error('usage: assemble CORPUS LANGUAGE_MODEL VISION MODEL_FOLDER');

const tokenizerFile = join(corpus, 'tokenizer.json');
const vocabulary = readVocabulary(tokenizerFile);
const sizes = emmaTinySizes(values.size);
const config = tinyConfig(sizes, vocabulary);
const random = Random.fromSeed('emma-tiny untrained');
const eye = eyeIn(visionFolder);
const language = openSafetensors(join(languageModel, 'state.safetensors'));

/** The trained vision encoder, a model folder's, or an untrained one. */
function eyeIn(place: string): Parameters {
  const parameters = initialVision(config, vocabulary.size, Random.fromSeed('untrained eye'));
  const [trained, shipped] = [join(place, 'vision.safetensors'), join(place, 'model.safetensors')];
  if (existsSync(trained)) takeOver(parameters, trained);
  else if (existsSync(shipped)) takeOver(parameters, shipped);
  return parameters;
}

function valuesOf(name: string, size: number): Float32Array {
  const seeing = eye.get(name)?.data;
  if (seeing) return seeing;
  if (language.tensors.has(name)) return readFloat32(language, name);
  const stream = random.stream(name);
  return Float32Array.from({ length: size }, () => 0.02 * stream.normal());
}

const parameters = writeModelFolder(folder, { sizes, tokenizerFile, valuesOf });
const count = [...parameters.values()].reduce((sum, { data }) => sum + data.length, 0);
process.stdout.write(`${folder}: ${count} parameters\n`);
