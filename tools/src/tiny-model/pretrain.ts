/**
 * Trains a tiny model from pixels to answers, all weights, with the product's own graph engine. OUT holds tokenizer.json and the newest
 * state. It can be stopped at any time and started again: the result depends on the settings and the processor alone.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { imageProcessor, type InstructBlipConfig } from '@emac/backbone';
import { Random } from '@emac/core';
import { clipGradients } from '@emac/optim';
import { preprocessorConfig } from '../emma-tiny/tiny-config.ts';
import { openTraining, saveTraining } from '../emma-tiny/training-file.ts';
import { readVocabulary, type TinyVocabulary } from '../emma-tiny/vocabulary.ts';
import { batchesOf, type BatchForm } from './batches.ts';
import type { EncodedSample } from './encode.ts';
import { Tally } from './measure.ts';
import { rateScale, startParameters, trainerOf } from './model.ts';

export interface TinyTraining {
  /** it names the chance unless a seed is given */
  readonly name: string;
  /** its sizes for a vocabulary of this size */
  readonly config: (vocabulary: number, imageToken: number) => InstructBlipConfig;
  /** samples without end; the same for the same chance */
  readonly samples: (random: Random, vocabulary: TinyVocabulary) => Generator<EncodedSample, never>;
}

/** samples that are drawn and mixed together; the state is saved after each of these */
const perDraw = 1152;
/** draws from one measurement to the next */
const perMeasurement = 4;
const heldOutSamples = 512;
const [rowsPerPart, partsPerBatch] = [12, 2];
const updatesPerDraw = perDraw / (rowsPerPart * partsPerBatch);
const adamw = { betas: [0.9, 0.98], epsilon: 1e-8, weightDecay: 0.02 } as const;

/** The whole program: `OUT --samples N [--sessions 2] [--learning-rate 2e-3] [--seed NAME]`. */
export async function pretrain(training: TinyTraining, defaultSamples: string): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      samples: { type: 'string', default: defaultSamples },
      sessions: { type: 'string', default: '2' },
      'learning-rate': { type: 'string', default: '2e-3' },
      seed: { type: 'string', default: training.name },
    },
  });
  const [out] = positionals;
  if (!out)
    throw new Error('usage: pretrain OUT [--samples N] [--sessions N] [--learning-rate R] [--seed S]');
  const draws = Math.ceil(Number(values.samples) / perDraw);
  const peak = Number(values['learning-rate']);
  await train(training, { out, draws, peak, sessions: Number(values.sessions), seed: values.seed });
}

interface Settings {
  readonly out: string;
  readonly draws: number;
  readonly peak: number;
  readonly sessions: number;
  readonly seed: string;
}

async function train(training: TinyTraining, { out, draws, peak, sessions, seed }: Settings): Promise<void> {
  const vocabulary = readVocabulary(join(out, 'tokenizer.json'));
  const config = training.config(vocabulary.size, vocabulary.tokenizer.tokenId('<image>')!);
  const processor = imageProcessor(preprocessorConfig(config.vision.imageSize));
  const form: BatchForm = { rowsPerPart, partsPerBatch, pad: vocabulary.pad, config, processor };
  const stateFile = join(out, 'state.safetensors');
  const drawing = (random: Random) => {
    const stream = training.samples(random, vocabulary);
    return (count: number) => Array.from({ length: count }, () => stream.next().value);
  };
  /** Rises over the first 100 updates, then falls along a line to a hundredth. */
  const rateAt = (update: number) =>
    peak * Math.min(1, (update + 1) / 100) * Math.max(0.01, 1 - update / (draws * updatesPerDraw));
  const random = Random.fromSeed(seed);
  const parameters = startParameters(config, vocabulary.size, random);
  const progress = { update: 0, draw: 0 };
  const optimizer = openTraining(stateFile, parameters, { options: adamw, counters: progress, rateScale });
  const trainer = await trainerOf(config, parameters, { sessions });
  const heldOut = drawing(random.stream('held out'))(heldOutSamples);
  const measured = async () => {
    const tally = new Tally(vocabulary.pad);
    for (const make of batchesOf(heldOut, form, random.stream('held-out batches'))) {
      const { parts, rows } = make();
      const { logProbabilities, factLogProbabilities } = await trainer.run(parameters, parts);
      rows.forEach((each, part) => tally.add(each, logProbabilities[part]!, factLogProbabilities[part]!));
    }
    return tally.shares();
  };
  const chanceOf = (draw: number) => random.stream('draw').stream(draw);
  let drawn = drawing(chanceOf(progress.draw))(perDraw);
  while (progress.draw < draws) {
    const began = performance.now();
    const batches = batchesOf(drawn, form, chanceOf(progress.draw).stream('batches'));
    const draw = drawing(chanceOf(progress.draw + 1));
    drawn = [];
    let losses = 0;
    let next = batches.shift()?.();
    while (next) {
      const running = trainer.run(parameters, next.parts);
      // made and drawn while the networks compute
      next = batches.shift()?.();
      drawn.push(...draw(perDraw / updatesPerDraw));
      const { loss, gradients } = await running;
      clipGradients(gradients, 1);
      optimizer.step(gradients, rateAt(progress.update));
      progress.update++;
      losses += loss;
    }
    progress.draw++;
    saveTraining(stateFile, parameters, { optimizer, counters: progress });
    const samplesPerSecond = Math.round((perDraw * 1000) / (performance.now() - began));
    print({ ...progress, samplesPerSecond, loss: +(losses / updatesPerDraw).toFixed(4) });
    if (progress.draw % perMeasurement === 0 || progress.draw === draws)
      print({ draw: progress.draw, heldOut: await measured() });
  }
  await trainer.dispose();
}

function print(line: object): void {
  process.stdout.write(JSON.stringify(line) + '\n');
}
