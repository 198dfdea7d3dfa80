/**
 * Trains the language model of emma-tiny on shards of rows, all weights, with the product's own graph engine.
 * Usage: node tools/dist/emma-tiny/pretrain.js SHARDS OUT --tokens 60e6 [--start MODEL_FOLDER] [--sessions 2]
 * With --start it goes on from the weights of a model, at a rate that rises and falls anew.
 * It can be stopped and started again: OUT holds the newest state. The first shard is held out. The result depends on
 * the shards, the settings and the processor, not on the clock or the number of sessions.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '@emac/core';
import { createFolder, openSafetensors, readFloat32 } from '@emac/files';
import { clipGradients } from '@emac/optim';
import { batchesOf, type BatchOptions } from './batches.ts';
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
    tokens: { type: 'string', default: '60e6' },
    sessions: { type: 'string', default: '2' },
    'tokens-per-batch': { type: 'string', default: '4096' },
    'learning-rate': { type: 'string', default: '2.5e-3' },
    start: { type: 'string' },
  },
});
const [shardFolder, out] = positionals;
if (!shardFolder || !out) throw new Error('usage: pretrain SHARDS OUT [--tokens N] [--sessions N]');

const limit = Number(values.tokens);
const peak = Number(values['learning-rate']);
const vocabulary = readVocabulary(join(shardFolder, 'tokenizer.json'));
const { tokenizer } = vocabulary;
const config = tinyConfig(vocabulary.size, tokenizer.tokenId('<image>')!);
const options: BatchOptions = {
  tokensPerBatch: Number(values['tokens-per-batch']),
  parts: 2,
  padId: tokenizer.padToken!,
  endId: tokenizer.endToken!,
  observationWeight: 0.15,
  width: config.llama.hiddenSize,
};

const stateFile = join(out, 'state.safetensors');
const adamw = { betas: [0.9, 0.98], epsilon: 1e-8, weightDecay: 0.05 } as const;

type Progress = Counters & {
  /** padding included */
  tokens: number;
  /** shards done, over all passes */
  shards: number;
  /** batches done of the shard at hand */
  batches: number;
};

async function main(): Promise<void> {
  createFolder(out!);
  const shapes = weightShapes(config.llama);
  const random = Random.fromSeed('emma-tiny');
  const parameters = initialParameters(shapes, {
    layers: config.llama.layers,
    random,
    compositions: vocabulary.compositions,
  });
  if (values.start !== undefined) takeOver(parameters, values.start);
  const progress: Progress = { update: 0, tokens: 0, shards: 0, batches: 0 };
  const optimizer = openTraining(stateFile, parameters, { options: adamw, counters: progress });
  const trainer = await languageModelTrainer(config.llama, {
    train: true,
    sessions: Number(values.sessions),
  });
  const check = batchesOf(
    readShard(listShards(shardFolder!)[0]!).slice(0, 96),
    options,
    Random.fromSeed('held out'),
  ).map((make) => make());
  const save = () => saveTraining(stateFile, parameters, { optimizer, counters: progress });
  const speed = speedometer(progress);
  let saved = performance.now();
  while (progress.tokens < limit) {
    const shards = listShards(shardFolder!).slice(1);
    const rows = readShard(shards[progress.shards % shards.length]!);
    const batches = batchesOf(rows, options, random.stream(progress.shards));
    let next = batches[progress.batches]?.();
    while (next && progress.tokens < limit) {
      const batch = next;
      const fraction = progress.tokens / limit;
      const rate = peak * Math.min(1, (progress.update + 1) / 200) * Math.max(0.01, 1 - fraction);
      const running = trainer.run(parameters, batch);
      // drawn while the networks compute
      next = batches[progress.batches + 1]?.();
      const { loss, gradients } = await running;
      clipGradients(gradients, 1);
      optimizer.step(gradients, rate);
      progress.update++;
      progress.batches++;
      progress.tokens += batch.tokens;
      if (progress.update % 100 === 0)
        print({
          ...progress,
          tokensPerSecond: speed(),
          loss: +loss.toFixed(4),
          rate: +rate.toExponential(2),
          ...(progress.update % 500 === 0 && (await heldOutAction(trainer, parameters, check))),
        });
      if (performance.now() - saved > 120_000) {
        save();
        saved = performance.now();
      }
    }
    if (progress.tokens >= limit) break;
    progress.shards++;
    progress.batches = 0;
  }
  save();
  print({ done: true, ...progress });
  await trainer.dispose();
}

/** Puts the weights of a model in place of the drawn ones. */
function takeOver(parameters: Parameters, folder: string): void {
  const file = openSafetensors(join(folder, 'model.safetensors'));
  for (const [name, { data }] of parameters) data.set(readFloat32(file, name));
}

/** Tokens a second since it was last asked. */
function speedometer(progress: Progress): () => number {
  let [tokens, time] = [progress.tokens, performance.now()];
  return () => {
    const [more, now] = [progress.tokens - tokens, performance.now()];
    const speed = Math.round((more * 1000) / (now - time));
    [tokens, time] = [progress.tokens, now];
    return speed;
  };
}

function print(line: object): void {
  process.stdout.write(JSON.stringify(line) + '\n');
}

/** Mean −log p of the learned tokens of full weight, of rows that are never trained on. */
async function heldOutAction(trainer: LanguageModelTrainer, parameters: Parameters, check: readonly Batch[]) {
  let sum = 0;
  let count = 0;
  for (const batch of check) {
    const { logProbabilities } = await trainer.run(parameters, batch);
    const weights = batch.parts.flatMap((part) => [...part.weights]);
    const largest = Math.max(...weights);
    weights.forEach((weight, index) => {
      if (weight < largest * 0.9) return;
      sum -= logProbabilities[index]!;
      count++;
    });
  }
  return { heldOutAction: +(sum / count).toFixed(4) };
}

await main();
