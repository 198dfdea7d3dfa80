/**
 * Trains emma-tiny's vision encoder and projection to name a frame's content in the words of its language model.
 * Usage: node tools/dist/emma-tiny/train-vision.js CORPUS LANGUAGE_MODEL OUT [TRAIN_FOLDER] --frames 100e3 [--start
 * MODEL_FOLDER] [--size tiny|large]
 * CORPUS holds tokenizer.json. --start continues from a model's vision encoder, with other frames (--draws-from). It
 * can be stopped and restarted: OUT/vision.safetensors holds the newest state. The result depends on the games, the
 * settings and the processor, not on the clock or the number of sessions.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { imageProcessor } from '@emac/backbone';
import { Random, type Frame } from '@emac/core';
import { createFolder, openSafetensors, readFloat32 } from '@emac/files';
import { findGames, renderFrame, type VisibleState } from '@emac/world';
import { preprocessorConfig, tinyConfig } from '../tiny-model/config.ts';
import { takeOver } from '../tiny-model/parameters.ts';
import { openTraining, print, rateAt } from '../tiny-model/training.ts';
import { readVocabulary } from '../tiny-model/vocabulary.ts';
import { slotIds } from './encoded-row.ts';
import { corpusGames, wanderedStates } from './game-supply.ts';
import { slotVectors } from './slot-vectors.ts';
import { emmaTinySizes, sizeOption } from './sizes.ts';
import { emptySlot, slotCount, slotsOf, type Slot } from './slots.ts';
import { initialVision, visionTrainer, type VisionPart } from './vision-model.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    frames: { type: 'string', default: '100e3' },
    sessions: { type: 'string', default: '2' },
    'learning-rate': { type: 'string', default: '1e-3' },
    'draws-from': { type: 'string', default: '0' },
    start: { type: 'string' },
    size: sizeOption,
  },
});
const [corpus, languageModel, out, trainFolder] = positionals;
if (!corpus || !languageModel || !out)
  throw new Error('usage: train-vision CORPUS LANGUAGE_MODEL OUT [TRAIN_FOLDER] [--frames N]');

const vocabulary = readVocabulary(join(corpus, 'tokenizer.json'));
const sizes = emmaTinySizes(values.size);
const config = tinyConfig(sizes, vocabulary);
const processor = imageProcessor(preprocessorConfig(sizes));
const trained = openSafetensors(join(languageModel, 'state.safetensors'));
const wordVectors = {
  data: readFloat32(trained, 'language_model.model.embed_tokens.weight'),
  width: config.llama.hiddenSize,
};

/** Frames per part, parts per update, and updates whose frames are drawn and mixed together. */
const [perPart, parts, updatesPerDraw] = [16, 2, 100];
const perUpdate = perPart * parts;

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

/** The pictures of an update; one in fifty is blank, as for a student without frames. */
function* pictures(states: readonly VisibleState[], random: Random): Generator<VisionPart[]> {
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
  const vectors = slotVectors(
    shown.flatMap(({ slots }) => slots),
    vocabulary,
    wordVectors,
  );
  return { pixels, labels: BigInt64Array.from(labels, BigInt), vectors };
}

/** Of the target classes, numbers and states: the share with a probability over one half. */
function sharesSaid(batch: readonly VisionPart[], logProbabilities: readonly Float32Array[]): number[] {
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
  });
}

createFolder(out);
const parameters = initialVision(config, vocabulary.size, Random.fromSeed('emma-tiny vision'));
// the classifiers are trained anew
if (values.start !== undefined) takeOver(parameters, join(values.start, 'model.safetensors'));
const progress = { update: 0, draws: Number(values['draws-from']) };
const training = openTraining(join(out, 'vision.safetensors'), parameters, {
  weightDecay: 0.01,
  counters: progress,
});
const files = trainFolder ? corpusGames(findGames(trainFolder).games) : [];
const sessions = Number(values.sessions);
const trainer = await visionTrainer(config, parameters, { batch: perPart, parts, sessions });
const planned = Math.ceil(Number(values.frames) / perUpdate);
const peak = Number(values['learning-rate']);
while (progress.update < planned) {
  const random = Random.fromSeed('emma-tiny frames').stream(progress.draws);
  const states = wanderedStates(files, random);
  const drawn = Array.from({ length: updatesPerDraw * perUpdate }, () => states.next().value);
  const measured: number[][] = [];
  const began = performance.now();
  await training.learn(pictures(random.shuffle(drawn), random), {
    run: (batch) => trainer.run(parameters, batch),
    rate: () =>
      rateAt(progress.update, { peak, warmUp: 100, least: 0.02, fraction: progress.update / planned }),
    done(batch, { output }) {
      const error = output('vector-error').reduce((sum, [part]) => sum + part!, 0);
      return measured.push([...sharesSaid(batch, output('log-probabilities')), error]) > 0;
    },
  });
  const framesPerSecond = Math.round((updatesPerDraw * perUpdate * 1000) / (performance.now() - began));
  const [classes, numbers, statesSaid, vectorError] = [0, 1, 2, 3].map(
    (place) => +(measured.reduce((sum, shares) => sum + shares[place]!, 0) / measured.length).toFixed(4),
  );
  const line = { ...progress, framesPerSecond, classes, numbers, states: statesSaid, vectorError };
  progress.draws++;
  training.save();
  print(line);
}
await trainer.dispose();
