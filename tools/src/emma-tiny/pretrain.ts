/**
 * Trains all weights of emma-tiny's language model on shards of rows, with the product's own graph engine.
 * Usage: node tools/dist/emma-tiny/pretrain.js SHARDS OUT --tokens 60e6 [--start MODEL_FOLDER] [--sessions 2] [--parts
 * 2] [--blur 0.4] [--size tiny|large]
 * --blur: the most of another row's word that a visual place holds, in half of the rows.
 * --start continues from a model's weights, with a new learning-rate schedule. It can be stopped and restarted: OUT
 * holds the newest state. The first shard is held out. The sessions compute the parts of a batch in parallel; more cores
 * need more of both. The result depends on the shards, the settings and the processor, not on the clock or the number of
 * sessions.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '@emac/core';
import { createFolder } from '@emac/files';
import { tinyConfig } from '../tiny-model/config.ts';
import { takeOver } from '../tiny-model/parameters.ts';
import { openTraining, print, rateAt, speedometer, type Counters } from '../tiny-model/training.ts';
import { readVocabulary } from '../tiny-model/vocabulary.ts';
import { batchesOf, type BatchOptions } from './row-batches.ts';
import { listShards, readShard } from './shard.ts';
import { emmaTinySizes, sizeOption } from './sizes.ts';
import { initialParameters, slotTrainer, type Batch } from './slot-model.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tokens: { type: 'string', default: '60e6' },
    sessions: { type: 'string', default: '2' },
    parts: { type: 'string', default: '2' },
    'tokens-per-batch': { type: 'string', default: '4096' },
    'learning-rate': { type: 'string', default: '2.5e-3' },
    blur: { type: 'string', default: '0' },
    start: { type: 'string' },
    size: sizeOption,
  },
});
const [shardFolder, out] = positionals;
if (!shardFolder || !out) throw new Error('usage: pretrain SHARDS OUT [--tokens N] [--sessions N]');

const limit = Number(values.tokens);
const peak = Number(values['learning-rate']);
const vocabulary = readVocabulary(join(shardFolder, 'tokenizer.json'));
const config = tinyConfig(emmaTinySizes(values.size), vocabulary);
const options: BatchOptions = {
  tokensPerBatch: Number(values['tokens-per-batch']),
  parts: Number(values.parts),
  padId: vocabulary.pad,
  endId: vocabulary.tokenizer.endToken!,
  observationWeight: 0.15,
  width: config.llama.hiddenSize,
  blur: Number(values.blur),
};

type Progress = Counters & {
  /** padding included */
  tokens: number;
  /** shards done, over all passes */
  shards: number;
  /** batches done of the shard at hand */
  batches: number;
};

createFolder(out);
const random = Random.fromSeed('emma-tiny');
const parameters = initialParameters(config, vocabulary, random);
if (values.start !== undefined) takeOver(parameters, join(values.start, 'model.safetensors'));
const progress: Progress = { update: 0, tokens: 0, shards: 0, batches: 0 };
const training = openTraining(join(out, 'state.safetensors'), parameters, {
  weightDecay: 0.05,
  counters: progress,
});
const trainer = await slotTrainer(config, parameters, Number(values.sessions));
const check = batchesOf(
  readShard(listShards(shardFolder)[0]!).slice(0, 96),
  options,
  Random.fromSeed('held out'),
).map((make) => make());
const speed = speedometer(() => progress.tokens);
let saved = performance.now();
while (progress.tokens < limit) {
  const shards = listShards(shardFolder).slice(1);
  const rows = readShard(shards[progress.shards % shards.length]!);
  const batches = batchesOf(rows, options, random.stream(progress.shards)).slice(progress.batches);
  await training.learn(made(batches), {
    run: ({ parts }: Batch) => trainer.run(parameters, parts),
    rate,
    async done({ tokens }, { loss }) {
      const used = rate(progress.update - 1);
      progress.batches++;
      progress.tokens += tokens;
      if (progress.update % 100 === 0)
        print({
          ...progress,
          tokensPerSecond: speed(),
          loss: +loss.toFixed(4),
          rate: +used.toExponential(2),
          ...(progress.update % 500 === 0 && (await heldOutAction())),
        });
      if (performance.now() - saved > 120_000) {
        training.save();
        saved = performance.now();
      }
      return progress.tokens < limit;
    },
  });
  if (progress.tokens >= limit) break;
  progress.shards++;
  progress.batches = 0;
}
training.save();
print({ done: true, ...progress });
await trainer.dispose();

function rate(update = progress.update): number {
  return rateAt(update, { peak, warmUp: 200, least: 0.01, fraction: progress.tokens / limit });
}

function* made(batches: readonly (() => Batch)[]): Generator<Batch> {
  for (const make of batches) yield make();
}

/** Mean −log p of the learned tokens of full weight, of rows that are never trained on. */
async function heldOutAction() {
  let sum = 0;
  let count = 0;
  for (const { parts } of check) {
    const logProbabilities = (await trainer.run(parameters, parts))
      .output('log-probabilities')
      .flatMap((part) => [...part]);
    const weights = parts.flatMap((part) => [...part.weights]);
    const largest = Math.max(...weights);
    weights.forEach((weight, index) => {
      if (weight < largest * 0.9) return;
      sum -= logProbabilities[index]!;
      count++;
    });
  }
  return { heldOutAction: +(sum / count).toFixed(4) };
}
