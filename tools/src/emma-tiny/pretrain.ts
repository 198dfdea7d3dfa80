/**
 * Trains the language model of emma-tiny on shards of plays, all weights, with the product's own graph engine.
 * Usage: node tools/dist/emma-tiny/pretrain.js SHARDS OUT --minutes 40 [--threads 2]
 * It can be stopped and started again: OUT holds the newest state.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '@emac/core';
import { createFolder } from '@emac/files';
import { clipGradients, type Optimizer } from '@emac/optim';
import { batchesOf, batchOf, type BatchOptions } from './batches.ts';
import {
  initialParameters,
  languageModelTrainer,
  weightShapes,
  type Batch,
  type LanguageModelTrainer,
  type Parameters,
} from './language-model.ts';
import { listShards, readShard } from './shard.ts';
import { openTraining, saveTraining, type Counters } from './training-file.ts';
import { tinyConfig } from './tiny-config.ts';
import { readVocabulary } from './vocabulary.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '40' },
    threads: { type: 'string', default: '2' },
    'tokens-per-batch': { type: 'string', default: '4096' },
    'learning-rate': { type: 'string', default: '2.5e-3' },
  },
});
const [shardFolder, out] = positionals;
if (!shardFolder || !out) throw new Error('usage: pretrain SHARDS OUT [--minutes N] [--threads N]');

const minutes = Number(values.minutes);
const peak = Number(values['learning-rate']);
const vocabulary = readVocabulary(join(shardFolder, 'tokenizer.json'));
const { tokenizer } = vocabulary;
const config = tinyConfig(vocabulary.size, tokenizer.tokenId('<image>')!);
const options: BatchOptions = {
  tokensPerBatch: Number(values['tokens-per-batch']),
  padId: tokenizer.padToken!,
  endId: tokenizer.endToken!,
  observationWeight: 0.15,
};

const stateFile = join(out, 'state.safetensors');
const adamw = { betas: [0.9, 0.98], epsilon: 1e-8, weightDecay: 0.05 } as const;

type Progress = Counters & { elapsedMs: number; tokens: number; /** shards begun */ passes: number };

async function main(): Promise<void> {
  createFolder(out!);
  const shapes = weightShapes(config.llama);
  const random = Random.fromSeed('emma-tiny');
  const parameters = initialParameters(shapes, config.llama.layers, random);
  const progress: Progress = { elapsedMs: 0, update: 0, tokens: 0, passes: 0 };
  const optimizer = openTraining(stateFile, parameters, { options: adamw, counters: progress });
  const trainer = await languageModelTrainer(config.llama, { train: true, threads: Number(values.threads) });
  const [heldOut] = listShards(shardFolder!);
  const check = readShard(heldOut!)
    .slice(0, 48)
    .map((play) => batchOf([play], options));
  let saved = performance.now();
  for (;;) {
    const shards = listShards(shardFolder!).slice(1);
    const pass = progress.passes++;
    const shard = shards[pass % shards.length]!;
    for (const batch of batchesOf(readShard(shard), options, random.stream(pass))) {
      const started = performance.now();
      const fraction = progress.elapsedMs / (minutes * 60_000);
      if (fraction >= 1) return finish(parameters, optimizer, progress);
      const rate = peak * Math.min(1, (progress.update + 1) / 200) * Math.max(0.01, 1 - fraction);
      const result = await trainer.run(parameters, batch);
      clipGradients(result.gradients, 1);
      optimizer.step(result.gradients, rate);
      progress.elapsedMs += performance.now() - started;
      progress.update++;
      progress.tokens += batch.rows * batch.length;
      if (progress.update % 100 === 0)
        await report(progress, {
          loss: result.loss,
          rate,
          heldOut: () => heldOutAction(trainer, parameters, check),
        });
      if (performance.now() - saved > 120_000) {
        saveTraining(stateFile, parameters, { optimizer, counters: progress });
        saved = performance.now();
      }
    }
  }
}

async function report(
  progress: Progress,
  state: { loss: number; rate: number; heldOut: () => Promise<{ heldOutAction: number }> },
): Promise<void> {
  const line = {
    update: progress.update,
    tokens: progress.tokens,
    minutes: +(progress.elapsedMs / 60_000).toFixed(2),
    tokensPerSecond: Math.round(progress.tokens / (progress.elapsedMs / 1000)),
    loss: +state.loss.toFixed(4),
    rate: +state.rate.toExponential(2),
    ...(progress.update % 500 === 0 ? await state.heldOut() : {}),
  };
  process.stdout.write(JSON.stringify(line) + '\n');
}

/** Mean −log p of the learned action tokens of plays that were never trained on. */
async function heldOutAction(trainer: LanguageModelTrainer, parameters: Parameters, check: readonly Batch[]) {
  let sum = 0;
  let count = 0;
  for (const batch of check) {
    const { logProbabilities } = await trainer.run(parameters, batch);
    const largest = Math.max(...batch.weights);
    batch.weights.forEach((weight, index) => {
      if (weight < largest) return;
      sum -= logProbabilities[index]!;
      count++;
    });
  }
  return { heldOutAction: +(sum / count).toFixed(4) };
}

function finish(parameters: Parameters, optimizer: Optimizer, progress: Progress): void {
  saveTraining(stateFile, parameters, { optimizer, counters: progress });
  process.stdout.write(JSON.stringify({ done: true, ...progress }) + '\n');
}

await main();
