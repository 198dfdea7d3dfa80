/**
 * Trains a tiny model from pixels to answers, all weights, with the product's own graph engine. OUT holds tokenizer.json and the newest
 * state. It can be stopped at any time and started again: the result depends on the settings and the processor alone.
 */
import { join } from 'node:path';
import { imageProcessor } from '@emac/backbone';
import { Random } from '@emac/core';
import { batchesOf, type Batch, type BatchForm } from './batches.ts';
import { preprocessorConfig, tinyConfig, type TinySizes } from './config.ts';
import type { EncodedSample } from './encode.ts';
import { Tally } from './measure.ts';
import { rateScale, startParameters, wholeTrainer } from './model.ts';
import { takeOver } from './parameters.ts';
import type { Losses } from './trainer.ts';
import { openTraining, print, rateAt } from './training.ts';
import { readVocabulary, type TinyVocabulary } from './vocabulary.ts';

/** samples drawn and mixed together; the state is saved after each such draw */
const perDraw = 1152;
/** draws from one measurement to the next */
const perMeasurement = 4;
const heldOutSamples = 512;
const [rowsPerPart, partsPerBatch] = [12, 2];
const updatesPerDraw = perDraw / (rowsPerPart * partsPerBatch);

export interface TinyTraining<Sample> {
  readonly sizes: TinySizes;
  /** samples without end, of all environments unless some are named; the same for the same chance */
  readonly samples: (random: Random, environments: readonly string[]) => Iterable<Sample>;
  readonly encode: (sample: Sample, vocabulary: TinyVocabulary) => EncodedSample;
}

export interface Pretraining {
  readonly out: string;
  readonly samples: number;
  /** the highest learning rate */
  readonly peak: number;
  readonly sessions: number;
  readonly seed: string;
  /** a model folder to go on from; null: from random weights */
  readonly start: string | null;
  /** the only environments to draw samples of; empty for all */
  readonly environments: readonly string[];
}

export async function pretrain<Sample>(
  maker: TinyTraining<Sample>,
  { out, samples, peak, sessions, seed, start, environments }: Pretraining,
): Promise<void> {
  const draws = Math.ceil(samples / perDraw);
  const vocabulary = readVocabulary(join(out, 'tokenizer.json'));
  const config = tinyConfig(maker.sizes, vocabulary);
  const processor = imageProcessor(preprocessorConfig(maker.sizes));
  const form: BatchForm = { rowsPerPart, partsPerBatch, pad: vocabulary.pad, config, processor };
  const drawing = (chance: Random) => {
    const { encode } = maker;
    return drawingOf({ samples: maker.samples(chance, environments), encode }, vocabulary);
  };
  const random = Random.fromSeed(seed);
  const parameters = startParameters(config, vocabulary.size, random);
  if (start !== null) takeOver(parameters, join(start, 'model.safetensors'));
  const progress = { update: 0, draw: 0 };
  const training = openTraining(join(out, 'state.safetensors'), parameters, {
    weightDecay: 0.02,
    counters: progress,
    rateScale,
  });
  const trainer = await wholeTrainer(config, parameters, sessions);
  const run = ({ parts }: Batch) => trainer.run(parameters, parts);
  const heldOut = drawing(random.stream('held out'))(heldOutSamples);
  const chanceOf = (draw: number) => random.stream('draw').stream(draw);
  let drawn = drawing(chanceOf(progress.draw))(perDraw);
  while (progress.draw < draws) {
    const began = performance.now();
    const batches = batchesOf(drawn, form, chanceOf(progress.draw).stream('batches'));
    const draw = drawing(chanceOf(progress.draw + 1));
    const following: EncodedSample[] = [];
    let losses = 0;
    await training.learn(
      madeWhile(batches, () => following.push(...draw(perDraw / updatesPerDraw))),
      {
        run,
        rate: () =>
          rateAt(progress.update, {
            peak,
            warmUp: 100,
            least: 0.01,
            fraction: progress.update / (draws * updatesPerDraw),
          }),
        done(_, { loss }) {
          losses += loss;
          return true;
        },
      },
    );
    drawn = following;
    progress.draw++;
    training.save();
    const samplesPerSecond = Math.round((perDraw * 1000) / (performance.now() - began));
    print({ ...progress, samplesPerSecond, loss: +(losses / updatesPerDraw).toFixed(4) });
    if (progress.draw % perMeasurement > 0 && progress.draw < draws) continue;
    const batchesHeldOut = batchesOf(heldOut, form, random.stream('held-out batches'));
    print({ draw: progress.draw, heldOut: await measured(batchesHeldOut, vocabulary.pad, run) });
  }
  await trainer.dispose();
}

/** So many samples more, encoded, whenever it is called. */
function drawingOf<Sample>(
  { samples, encode }: { samples: Iterable<Sample> } & Pick<TinyTraining<Sample>, 'encode'>,
  vocabulary: TinyVocabulary,
): (count: number) => EncodedSample[] {
  const stream = samples[Symbol.iterator]();
  return (count) => Array.from({ length: count }, () => encode(stream.next().value as Sample, vocabulary));
}

/** Draws more between two batches, while the networks compute. */
function* madeWhile(batches: readonly (() => Batch)[], draw: () => void): Generator<Batch> {
  for (const make of batches) {
    yield make();
    draw();
  }
}

/** Shares of right predictions. */
async function measured(
  batches: readonly (() => Batch)[],
  pad: number,
  run: (batch: Batch) => Promise<Losses>,
): Promise<ReturnType<Tally['shares']>> {
  const tally = new Tally(pad);
  for (const make of batches) await measure(tally, make(), run);
  return tally.shares();
}

/** Measures predictions on a batch. */
async function measure(tally: Tally, batch: Batch, run: (batch: Batch) => Promise<Losses>): Promise<void> {
  const { output } = await run(batch);
  const [ofLabels, ofFacts] = [output('log-probabilities'), output('fact log-probabilities')];
  batch.rows.forEach((each, part) => tally.add(each, ofLabels[part]!, ofFacts[part]!));
}
