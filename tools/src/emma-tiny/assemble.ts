/**
 * Puts emma-tiny together: trained parts, fitted projection, tokenizer and configuration in InstructBLIP's layout.
 * Usage: node tools/dist/emma-tiny/assemble.js CORPUS LANGUAGE_MODEL VISION MODEL_FOLDER
 */
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectedTensors, imageProcessor, qformer, vision, type ModelConfig } from '@emac/backbone';
import { Random } from '@emac/core';
import { createFolder, encodeSafetensors, openSafetensors, readFloat32, writeFileAtomic } from '@emac/files';
import { createSession, Graph } from '@emac/graph';
import { renderFrame } from '@emac/world';
import { slotIds } from './encoded-row.ts';
import { fitProjection } from './fit-projection.ts';
import { wanderedStates } from './frame-supply.ts';
import type { Parameters } from './language-model.ts';
import { shareQueries } from './share-queries.ts';
import { slotsOf } from './slots.ts';
import { preprocessorConfig, tinyConfig, tinyConfigJson } from './tiny-config.ts';
import { initialVision, visionShapes } from './vision-model.ts';
import { readVocabulary, type TinyVocabulary } from './vocabulary.ts';

const [corpus, languageModel, visionFolder, folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: assemble CORPUS LANGUAGE_MODEL VISION MODEL_FOLDER');

const embedding = 'language_model.model.embed_tokens.weight';

function trainedTensors(config: ModelConfig, vocabulary: TinyVocabulary): Parameters {
  const parameters: Parameters = new Map();
  const random = Random.fromSeed('emma-tiny untrained');
  const eye = visionFile(config, vocabulary);
  const language = openSafetensors(join(languageModel!, 'state.safetensors'));
  for (const [name, expected] of expectedTensors(config)) {
    const shape = expected.map((size) => size ?? vocabulary.size);
    const size = shape.reduce((product, dimension) => product * dimension, 1);
    const trained = eye.get(name) ?? (language.tensors.has(name) ? readFloat32(language, name) : undefined);
    const stream = random.stream(name);
    parameters.set(name, {
      shape,
      data: trained ?? Float32Array.from({ length: size }, () => 0.02 * stream.normal()),
    });
  }
  return parameters;
}

function visionFile(config: ModelConfig, vocabulary: TinyVocabulary): Map<string, Float32Array> {
  const shapes = visionShapes(config, vocabulary.size);
  const path = join(visionFolder!, 'vision.safetensors');
  if (!existsSync(path))
    return new Map(
      [...initialVision(shapes, Random.fromSeed('untrained eye'))].map(([name, { data }]) => [name, data]),
    );
  const file = openSafetensors(path);
  return new Map([...shapes.keys()].map((name) => [name, readFloat32(file, name)]));
}

/** Q-Former outputs of frames and the word vectors of what they show. */
async function fitSamples(config: ModelConfig, vocabulary: TinyVocabulary, parameters: Parameters) {
  const batch = 16;
  const graph = new Graph();
  const constant = (name: string) => {
    const { shape, data } = parameters.get(name)!;
    return graph.memo(name, () => graph.constant(data, shape));
  };
  const { imageSize } = config.vision;
  const pixels = graph.input('pixels', 'float32', [batch, 3, imageSize, imageSize]);
  graph.output(
    'queries',
    qformer(constant, config.qformer, { imageHidden: vision(constant, config.vision, pixels) }),
  );
  const session = await createSession(graph, { thread: 'main' });
  const processor = imageProcessor(preprocessorConfig(imageSize));
  const states = wanderedStates([], Random.fromSeed('emma-tiny projection'));
  const vectors = parameters.get(embedding)!.data;
  const width = config.llama.hiddenSize;
  const sumOfVectors = (ids: readonly number[]) => {
    const sum = new Float32Array(width);
    for (const id of ids) if (id >= 0) for (let i = 0; i < width; i++) sum[i]! += vectors[id * width + i]!;
    return sum;
  };
  const queries: number[] = [];
  const targets: number[] = [];
  for (let run = 0; run < 60; run++) {
    const data = new Float32Array(batch * 3 * imageSize ** 2);
    for (let row = 0; row < batch; row++) {
      const state = states.next().value!;
      data.set(processor.process(renderFrame(state)), (row * data.length) / batch);
      for (const slot of slotsOf(state)) targets.push(...sumOfVectors(slotIds(slot, vocabulary)));
    }
    const output = await session.run({
      pixels: { type: 'float32', shape: [batch, 3, imageSize, imageSize], data },
    });
    queries.push(...(output['queries']!.data as Float32Array));
  }
  await session.dispose();
  return { queries: Float32Array.from(queries), targets: Float32Array.from(targets) };
}

async function main(): Promise<void> {
  const vocabulary = readVocabulary(join(corpus!, 'tokenizer.json'));
  const imageToken = vocabulary.tokenizer.tokenId('<image>')!;
  const config = tinyConfig(vocabulary.size, imageToken);
  const parameters = trainedTensors(config, vocabulary);
  const { queries, targets } = await fitSamples(config, vocabulary, parameters);
  const [inputWidth, outputWidth] = [config.qformer.hiddenSize, config.llama.hiddenSize];
  const fit = fitProjection(queries, targets, { inputWidth, outputWidth, ridge: 1e-3 });
  parameters.set('language_projection.weight', { shape: [outputWidth, inputWidth], data: fit.weight });
  parameters.set('language_projection.bias', { shape: [outputWidth], data: fit.bias });
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

await main();
