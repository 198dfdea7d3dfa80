/**
 * Aligns emma-tiny's projection with the words of its language model on a few described frames, by ridge regression.
 * First it centres the Q-Former's outputs and scales them to unit variance over --scenes frames, by the weights of the
 * Q-Former's last LayerNorm: then a step on the projection reaches all of them alike.
 * Usage: node tools/dist/emma-tiny/align.js MODEL_FOLDER OUT_FOLDER [TRAIN_FOLDER] --frames 28 [--scenes 200] [--ridge
 * 1e-3]
 * OUT_FOLDER gets a copy of the model with both changes. Prints the squared error on 60 further frames, as a share of
 * the squares of their visual tokens.
 */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadBackbone, readModelConfig } from '@emac/backbone';
import { Random } from '@emac/core';
import { openSafetensors, writeFileAtomic } from '@emac/files';
import { findGames, renderFrame, type VisibleState } from '@emac/world';
import { print } from '../tiny-model/training.ts';
import { readVocabulary } from '../tiny-model/vocabulary.ts';
import { corpusGames, wanderedStates } from './game-supply.ts';
import { relativeError, ridgeRegression, type Samples } from './ridge.ts';
import { slotVectors } from './slot-vectors.ts';
import { slotCount, slotsOf } from './slots.ts';
import { momentsOf, standardized, standardizedNorm } from './standardize.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    frames: { type: 'string', default: '28' },
    scenes: { type: 'string', default: '200' },
    ridge: { type: 'string', default: '1e-3' },
  },
});
const [folder, out, trainFolder] = positionals;
if (!folder || !out) throw new Error('usage: align MODEL_FOLDER OUT_FOLDER [TRAIN_FOLDER] [--frames N]');

const backbone = loadBackbone(folder, { threads: 1 });
const vocabulary = readVocabulary(join(folder, 'tokenizer.json'));
const { llama, qformer } = readModelConfig(folder);
const words = {
  data: backbone.files.read('language_model.model.embed_tokens.weight').data,
  width: llama.hiddenSize,
};
const files = trainFolder ? corpusGames(findGames(trainFolder).games) : [];

/** Visible states, the same ones for the same name. */
function* scenes(name: string, count: number): Generator<VisibleState> {
  const states = wanderedStates(files, Random.fromSeed(name));
  for (let drawn = 0; drawn < count; drawn++) yield states.next().value;
}

/** The Q-Former's outputs for a frame, one row per query token. */
async function outputsFor(state: VisibleState): Promise<Float32Array[]> {
  const outputs = await backbone.encode(renderFrame(state));
  return rowsOf(outputs, outputs.length / slotCount);
}

function rowsOf(values: Float32Array, length: number): Float32Array[] {
  return Array.from({ length: values.length / length }, (_, row) =>
    values.subarray(row * length, (row + 1) * length),
  );
}

async function outputsOf(states: Iterable<VisibleState>): Promise<Float32Array[]> {
  const rows: Float32Array[] = [];
  for (const state of states) rows.push(...(await outputsFor(state)));
  return rows;
}

const moments = momentsOf(await outputsOf(scenes('align scenes', Number(values.scenes))));

/** Standardized outputs for these frames, and the sums of word vectors that describe them. */
async function described(states: readonly VisibleState[]): Promise<Samples> {
  const inputs = standardized(await outputsOf(states), moments);
  const outputs = states.flatMap((state) =>
    rowsOf(slotVectors(slotsOf(state), vocabulary, words), words.width),
  );
  return { inputs, outputs };
}

const frames = Number(values.frames);
const drawn = Array.from(scenes('align', frames + 60));
const linear = ridgeRegression(await described(drawn.slice(0, frames)), Number(values.ridge));
const heldOutError = relativeError(linear, await described(drawn.slice(frames)));
const lastNorm = `qformer.encoder.layer.${qformer.layers - 1}.output_query.LayerNorm`;
const norm = standardizedNorm(
  {
    weight: backbone.files.read(`${lastNorm}.weight`).data,
    bias: backbone.files.read(`${lastNorm}.bias`).data,
  },
  moments,
);
await backbone.dispose();
cpSync(folder, out, { recursive: true });
const path = join(out, 'model.safetensors');
const bytes = readFileSync(path);
const { tensors } = openSafetensors(path);
for (const [name, { weight, bias }] of [
  ['language_projection', linear],
  [lastNorm, norm],
] as const) {
  // prettier-ignore
  bytes.set(new Uint8Array(weight.buffer), tensors.get(`${name}.weight`)!.offset);
  bytes.set(new Uint8Array(bias.buffer), tensors.get(`${name}.bias`)!.offset);
}
writeFileAtomic(path, bytes);
print({ frames, heldOutError: +heldOutError.toFixed(4) });
