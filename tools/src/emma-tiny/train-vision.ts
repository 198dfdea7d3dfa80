/**
 * Trains the eye of emma-tiny, projection included, to say what frames show in the words of its language model.
 * Usage: node tools/dist/emma-tiny/train-vision.js CORPUS LANGUAGE_MODEL OUT [TRAIN_FOLDER] --frames 100e3 [--start MODEL_FOLDER]
 * CORPUS holds tokenizer.json. With --start it goes on from a model's eye, which is shown other frames (--draws-from). It can be stopped and started again: OUT/vision.safetensors holds the newest state. The
 * result depends on the games, the settings and the processor, not on the clock or the number of sessions.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { imageProcessor } from '@emac/backbone';
import { Random, type Frame } from '@emac/core';
import { createFolder, openSafetensors, readFloat32 } from '@emac/files';
import { clipGradients } from '@emac/optim';
import { findGames, renderFrame, type VisibleState } from '@emac/world';
import { slotIds } from './encoded-row.ts';
import { wanderedStates } from './frame-supply.ts';
import { corpusGames } from './game-supply.ts';
import type { Parameters } from './language-model.ts';
import { unshareQueries } from './share-queries.ts';
import { emptySlot, slotCount, slotsOf, type Slot } from './slots.ts';
import { preprocessorConfig, tinyConfig } from './tiny-config.ts';
import { openTraining, saveTraining } from './training-file.ts';
import { initialVision, visionShapes, visionTrainer, type VisionPart } from './vision-model.ts';
import { readVocabulary } from './vocabulary.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    frames: { type: 'string', default: '100e3' },
    sessions: { type: 'string', default: '2' },
    'learning-rate': { type: 'string', default: '1e-3' },
    'draws-from': { type: 'string', default: '0' },
    start: { type: 'string' },
  },
});
const [corpus, languageModel, out, trainFolder] = positionals;
if (!corpus || !languageModel || !out)
  throw new Error('usage: train-vision CORPUS LANGUAGE_MODEL OUT [TRAIN_FOLDER] [--frames N]');

const vocabulary = readVocabulary(join(corpus, 'tokenizer.json'));
const config = tinyConfig(vocabulary.size, vocabulary.tokenizer.tokenId('<image>')!);
const processor = imageProcessor(preprocessorConfig(config.vision.imageSize));
const wordVectors = readFloat32(
  openSafetensors(join(languageModel, 'state.safetensors')),
  'language_model.model.embed_tokens.weight',
);
const limit = Number(values.frames);
const peak = Number(values['learning-rate']);

/** Frames of one part, parts of an update, and updates whose frames are drawn and mixed together. */
const [perPart, parts, updatesPerDraw] = [16, 2, 100];

interface Picture {
  readonly frame: Frame;
  readonly slots: readonly Slot[];
}

const nothing: Picture = {
  frame: { width: 1, height: 1, data: new Uint8Array(3) },
  slots: Array.from({ length: slotCount }, () => emptySlot),
};

function pictureOf(state: VisibleState): Picture {
  return { frame: renderFrame(state), slots: slotsOf(state) };
}

/** What is seen in one update; one picture of fifty is blank, as a student without frames is given. */
function* pictures(states: readonly VisibleState[], random: Random): Generator<VisionPart[]> {
  const perUpdate = perPart * parts;
  for (let start = 0; start < states.length; start += perUpdate)
    yield Array.from({ length: parts }, (_, part) => {
      const first = start + part * perPart;
      return partOf(
        states
          .slice(first, first + perPart)
          .map((state) => (random.uniform() < 0.02 ? nothing : pictureOf(state))),
      );
    });
}

function partOf(shown: readonly Picture[]): VisionPart {
  const size = 3 * config.vision.imageSize ** 2;
  const pixels = new Float32Array(shown.length * size);
  shown.forEach(({ frame }, row) => pixels.set(processor.process(frame), row * size));
  const words = shown.flatMap(({ slots }) => slots.map((slot) => slotIds(slot, vocabulary)));
  // the pad token where there is no word
  const labels = [0, 1, 2].flatMap((part) =>
    words.map((ids) => (ids[part]! < 0 ? vocabulary.pad : ids[part]!)),
  );
  const vectors = new Float32Array(words.length * config.llama.hiddenSize);
  words.forEach((ids, slot) => addVectors(ids, vectors.subarray(slot * config.llama.hiddenSize)));
  return { pixels, labels: BigInt64Array.from(labels, BigInt), vectors };
}

/** Adds the language model's vectors of these words; −1 is none. */
function addVectors(ids: readonly number[], sum: Float32Array): void {
  const width = config.llama.hiddenSize;
  for (const id of ids) if (id >= 0) for (let i = 0; i < width; i++) sum[i]! += wordVectors[id * width + i]!;
}

const adamw = { betas: [0.9, 0.98], epsilon: 1e-8, weightDecay: 0.01 } as const;

async function main(): Promise<void> {
  createFolder(out!);
  const path = join(out!, 'vision.safetensors');
  const shapes = visionShapes(config, vocabulary.size);
  const parameters = initialVision(shapes, Random.fromSeed('emma-tiny vision'));
  if (values.start !== undefined) takeOver(parameters, values.start);
  const progress = { update: 0, draws: Number(values['draws-from']) };
  const optimizer = openTraining(path, parameters, { options: adamw, counters: progress });
  const files = trainFolder ? corpusGames(findGames(trainFolder).games) : [];
  const trainer = await visionTrainer(config, shapes, {
    batch: perPart,
    parts,
    sessions: Number(values.sessions),
  });
  const perUpdate = perPart * parts;
  const planned = Math.ceil(limit / perUpdate);
  for (; progress.update < planned; progress.draws++) {
    const random = Random.fromSeed('emma-tiny frames').stream(progress.draws);
    const states = wanderedStates(files, random);
    const drawn = Array.from({ length: updatesPerDraw * perUpdate }, () => states.next().value);
    const measured: ReturnType<typeof shareSaid>[] = [];
    let errors = 0;
    const began = performance.now();
    const batches = pictures(random.shuffle(drawn), random);
    for (let next = batches.next(); !next.done;) {
      const batch = next.value;
      const fraction = progress.update / planned;
      const rate = peak * Math.min(1, (progress.update + 1) / 100) * Math.max(0.02, 1 - fraction);
      const running = trainer.run(parameters, batch);
      // drawn while the networks compute
      next = batches.next();
      const { gradients, logProbabilities, vectorError } = await running;
      errors += vectorError;
      clipGradients(gradients, 1);
      optimizer.step(gradients, rate);
      progress.update++;
      measured.push(shareSaid(batch, logProbabilities));
    }
    saveTraining(path, parameters, { optimizer, counters: { ...progress, draws: progress.draws + 1 } });
    const mean = (part: 0 | 1 | 2) =>
      +(measured.reduce((sum, shares) => sum + shares[part], 0) / measured.length).toFixed(4);
    const framesPerSecond = Math.round((updatesPerDraw * perUpdate * 1000) / (performance.now() - began));
    const said = { classes: mean(0), numbers: mean(1), states: mean(2) };
    const vectorError = +(errors / measured.length).toFixed(4);
    process.stdout.write(JSON.stringify({ ...progress, framesPerSecond, ...said, vectorError }) + '\n');
  }
  await trainer.dispose();
}

/** Puts the eye of a model in place of the drawn one; what reads it is learned anew. */
function takeOver(parameters: Parameters, folder: string): void {
  const file = openSafetensors(join(folder, 'model.safetensors'));
  for (const [name, { data }] of parameters) if (file.tensors.has(name)) data.set(readFloat32(file, name));
  unshareQueries(parameters, config.qformer);
}

/** Of the classes, numbers and states that there are to say: the share with a probability over one half. */
function shareSaid(batch: readonly VisionPart[], logProbabilities: readonly Float32Array[]) {
  return [0, 1, 2].map((head) => {
    let [said, all] = [0, 0];
    batch.forEach(({ labels }, part) => {
      const rows = labels.length / 3;
      for (let row = head * rows; row < (head + 1) * rows; row++) {
        if (Number(labels[row]) === vocabulary.pad) continue;
        all++;
        if (logProbabilities[part]![row]! > Math.log(0.5)) said++;
      }
    });
    return said / all;
  }) as [number, number, number];
}

await main();
