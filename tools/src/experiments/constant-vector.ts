/**
 * Copies emma-tiny with one vector added to all of its visual tokens, by the bias of its projection: whatever moves
 * success then is a constant, not something seen.
 * Usage: node tools/dist/experiments/constant-vector.js NAME OUT_FOLDER [TRAINED.safetensors]
 * NAME: a word, whose vector is added; mean-change: the mean change that a trained projection makes; random-N: a random
 * vector of the length of that change. TRAINED: an exported projection.
 */
import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '@emac/core';
import { openSafetensors, readFloat32, writeFileAtomic } from '@emac/files';
import { shippedModelFolder } from '@emac/settings';
import { readVocabulary } from '../tiny-model/vocabulary.ts';

const [name, out, trained] = process.argv.slice(2);
if (!name || !out) throw new Error('usage: constant-vector NAME OUT_FOLDER [TRAINED.safetensors]');
const folder = shippedModelFolder('emma-tiny')!;
const weights = openSafetensors(join(folder, 'model.safetensors'));
const bias = readFloat32(weights, 'language_projection.bias');

/** Of a shipped projection's inputs the mean is 0, so the mean change is that of the bias. */
function meanChange(): Float32Array {
  if (!trained) throw new Error(`constant-vector ${name}: needs TRAINED.safetensors`);
  const file = openSafetensors(trained);
  const changed = [...file.tensors.keys()].find((each) => /bias$/.test(each))!;
  return readFloat32(file, changed).map((value, i) => value - bias[i]!);
}

function randomVector(): Float32Array {
  const random = Random.fromSeed(name!);
  const values = bias.map(() => random.normal());
  const scale = Math.hypot(...meanChange()) / Math.hypot(...values);
  return values.map((value) => value * scale);
}

function wordVector(): Float32Array {
  const id = readVocabulary(join(folder, 'tokenizer.json')).ids.get(` ${name}`);
  if (id === undefined) throw new Error(`constant-vector: no word ${name}`);
  const vectors = readFloat32(weights, 'language_model.model.embed_tokens.weight');
  return vectors.slice(id * bias.length, (id + 1) * bias.length);
}

const kinds: Readonly<Record<string, () => Float32Array>> = { mean: meanChange, random: randomVector };
const vector = (kinds[name.split('-')[0]!] ?? wordVector)();
const part = `${out}.part`;
rmSync(part, { recursive: true, force: true });
cpSync(folder, part, { recursive: true });
const path = join(part, 'model.safetensors');
const bytes = readFileSync(path);
const sum = bias.map((value, i) => value + vector[i]!);
bytes.set(new Uint8Array(sum.buffer), weights.tensors.get('language_projection.bias')!.offset);
writeFileAtomic(path, bytes);
renameSync(part, out);
process.stdout.write(`${name}: length ${Math.hypot(...vector).toFixed(3)}\n`);
