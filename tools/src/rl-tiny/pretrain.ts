/**
 * Trains rl-tiny from pixels to answers, all weights, with the product's own graph engine.
 * Usage: node tools/dist/rl-tiny/pretrain.js OUT --samples 150e3 [--sessions 2]
 * OUT holds tokenizer.json (make-tokenizer) and the newest state. It can be stopped at any time and started again: the result depends
 * on the settings and the processor alone.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { imageProcessor } from '@emac/backbone';
import { Random } from '@emac/core';
import { clipGradients } from '@emac/optim';
import { preprocessorConfig } from '../emma-tiny/tiny-config.ts';
import { openTraining, saveTraining } from '../emma-tiny/training-file.ts';
import { readVocabulary } from '../emma-tiny/vocabulary.ts';
import { batchesOf, type BatchForm } from './batches.ts';
import { rlTinyConfig } from './config.ts';
import { encodeSample, type EncodedSample } from './encode.ts';
import { Tally } from './measure.ts';
import { rateScale, startParameters, trainerOf } from './model.ts';
import { samples } from './samples.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    samples: { type: 'string', default: '150e3' },
    sessions: { type: 'string', default: '2' },
    'learning-rate': { type: 'string', default: '2e-3' },
  },
});
const [out] = positionals;
if (!out) throw new Error('usage: pretrain OUT [--samples N] [--sessions N] [--learning-rate R]');

/** samples that are drawn and mixed together; the state is saved after each of these */
const perDraw = 1152;
/** draws from one measurement to the next */
const perMeasurement = 4;
const heldOutSamples = 512;

const vocabulary = readVocabulary(join(out, 'tokenizer.json'));
const { tokenizer } = vocabulary;
const config = rlTinyConfig(vocabulary.size, tokenizer.tokenId('<image>')!);
const form: BatchForm = {
  rowsPerPart: 12,
  partsPerBatch: 2,
  pad: vocabulary.pad,
  config,
  processor: imageProcessor(preprocessorConfig(config.vision.imageSize)),
};
const stateFile = join(out, 'state.safetensors');
const adamw = { betas: [0.9, 0.98], epsilon: 1e-8, weightDecay: 0.02 } as const;
const draws = Math.ceil(Number(values.samples) / perDraw);
const updatesPerDraw = perDraw / (form.rowsPerPart * form.partsPerBatch);
const peak = Number(values['learning-rate']);

/** Encoded samples without end, so many at a time. */
function drawing(random: Random): (count: number) => EncodedSample[] {
  const stream = samples(random);
  return (count) => Array.from({ length: count }, () => encodeSample(stream.next().value, vocabulary));
}

/** Rises over the first 100 updates, then falls along a line to a hundredth. */
function rateAt(update: number): number {
  const left = 1 - update / (draws * updatesPerDraw);
  return peak * Math.min(1, (update + 1) / 100) * Math.max(0.01, left);
}

async function main(): Promise<void> {
  const random = Random.fromSeed('rl-tiny');
  const parameters = startParameters(config, vocabulary.size, random);
  const progress = { update: 0, draw: 0 };
  const optimizer = openTraining(stateFile, parameters, { options: adamw, counters: progress, rateScale });
  const trainer = await trainerOf(config, parameters, { sessions: Number(values.sessions) });
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
  const perUpdate = perDraw / updatesPerDraw;
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
      drawn.push(...draw(perUpdate));
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

await main();
