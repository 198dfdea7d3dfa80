/**
 * Trains emma-tiny's ViT and Q-Former to describe frames of played games.
 * Usage: node tools/dist/emma-tiny/train-vision.js CORPUS OUT [TRAIN_FOLDER] --minutes 8 [--threads 2]
 * CORPUS holds tokenizer.json. It can be stopped and started again: OUT/vision.safetensors holds the newest state.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { imageProcessor } from '@emac/backbone';
import { Random } from '@emac/core';
import { createFolder } from '@emac/files';
import { clipGradients } from '@emac/optim';
import { findGames, renderFrame, type VisibleState } from '@emac/world';
import { shuffledStates, wanderedStates } from './frame-supply.ts';
import { slotIds } from './encoded-row.ts';
import { slotsOf } from './slots.ts';
import { preprocessorConfig, tinyConfig } from './tiny-config.ts';
import { openTraining, saveTraining } from './training-file.ts';
import { initialVision, visionShapes, visionTrainer } from './vision-model.ts';
import { readVocabulary } from './vocabulary.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '8' },
    threads: { type: 'string', default: '2' },
    batch: { type: 'string', default: '32' },
    'learning-rate': { type: 'string', default: '1e-3' },
  },
});
const [corpus, out, trainFolder] = positionals;
if (!corpus || !out) throw new Error('usage: train-vision CORPUS OUT [TRAIN_FOLDER] [--minutes N]');

const vocabulary = readVocabulary(join(corpus, 'tokenizer.json'));
const config = tinyConfig(vocabulary.size, vocabulary.tokenizer.tokenId('<image>')!);
const processor = imageProcessor(preprocessorConfig(config.vision.imageSize));
const batch = Number(values.batch);

/** Words of each slot: the pad token where there is none. */
function labelsOf(state: VisibleState): number[][] {
  return slotsOf(state).map((slot) => slotIds(slot, vocabulary).map((id) => (id < 0 ? vocabulary.pad : id)));
}

const adamw = { betas: [0.9, 0.98], epsilon: 1e-8, weightDecay: 0.01 } as const;

async function main(): Promise<void> {
  createFolder(out!);
  const path = join(out!, 'vision.safetensors');
  const shapes = visionShapes(config, vocabulary.size);
  const parameters = initialVision(shapes, Random.fromSeed('emma-tiny vision'));
  const progress = { elapsedMs: 0, update: 0 };
  const optimizer = openTraining(path, parameters, { options: adamw, counters: progress });
  const random = Random.fromSeed(`emma-tiny frames ${progress.update}`);
  const files = trainFolder ? findGames(trainFolder).games : [];
  const supply = shuffledStates(wanderedStates(files, random), random);
  const trainer = await visionTrainer(config, shapes, { batch, threads: Number(values.threads) });
  const limit = Number(values.minutes) * 60_000;
  const pixels = new Float32Array(batch * 3 * config.vision.imageSize ** 2);
  let saved = performance.now();
  while (progress.elapsedMs < limit) {
    const started = performance.now();
    const slots: number[][] = [];
    for (let row = 0; row < batch; row++) {
      const state = supply.next().value;
      pixels.set(processor.process(renderFrame(state)), (row * pixels.length) / batch);
      slots.push(...labelsOf(state));
    }
    const labels = [0, 1, 2].flatMap((part) => slots.map((slot) => BigInt(slot[part]!)));
    const rate =
      Number(values['learning-rate']) *
      Math.min(1, (progress.update + 1) / 100) *
      Math.max(0.02, 1 - progress.elapsedMs / limit);
    const result = await trainer.run(parameters, pixels, BigInt64Array.from(labels));
    clipGradients(result.gradients, 1);
    optimizer.step(result.gradients, rate);
    progress.update++;
    progress.elapsedMs += performance.now() - started;
    if (progress.update % 50 === 0)
      process.stdout.write(
        JSON.stringify({ ...progress, ...summary(result.logProbabilities, labels) }) + '\n',
      );
    if (performance.now() - saved > 60_000) {
      saveTraining(path, parameters, { optimizer, counters: progress });
      saved = performance.now();
    }
  }
  saveTraining(path, parameters, { optimizer, counters: progress });
  await trainer.dispose();
}

/** Mean −log p over all places, and the share of words (not empty places) with a probability over one half. */
function summary(logProbabilities: Float32Array, labels: readonly bigint[]) {
  const words = labels.flatMap((label, index) =>
    Number(label) === vocabulary.tokenizer.padToken ? [] : [logProbabilities[index]!],
  );
  const mean = (list: ArrayLike<number>) =>
    Array.from(list).reduce((sum, value) => sum + value, 0) / list.length;
  return {
    loss: +(-mean(logProbabilities)).toFixed(4),
    likely: +(words.filter((value) => value > Math.log(0.5)).length / words.length).toFixed(3),
  };
}

await main();
