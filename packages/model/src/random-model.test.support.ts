/** A small random InstructBLIP in a temporary folder, with a tokenizer of single characters. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  adapterTargets,
  expectedTensors,
  openModelFiles,
  parseModelConfig,
  type Adapter,
} from '@emac/backbone';
import {
  promptOf,
  Random,
  type Features,
  type Frame,
  type GradientRow,
  type Prompt,
  type Question,
} from '@emac/core';
import { encodeSafetensors, float32ToFloat16 } from '@emac/files';
import { drawnAdapter } from './adapter.ts';
import { createProjection, type Projection } from './projection/projection.ts';
import type { ProjectionKind } from './projection/projection-shape.ts';
import { loadTensorflow } from './projection/tensorflow.ts';

export const imageSize = 8;
/** Nq, Dq, D and the number of positions */
export const sizes = { queries: 3, queryWidth: 10, width: 16, positions: 64 } as const;

/** Token ids: 0 padding, 1 begin, 2 end, then these characters; 'Ġ' is a space. */
const characters = [...'abcdefghijklmno', 'Ġ', '>', '1'];
export const vocabulary = 3 + characters.length;
/** characters of random texts */
export const alphabet = 'abcdefghijklmno >1';

const config = {
  model_type: 'instructblip',
  num_query_tokens: sizes.queries,
  image_token_index: vocabulary,
  vision_config: {
    hidden_size: 12,
    intermediate_size: 20,
    num_hidden_layers: 1,
    num_attention_heads: 3,
    image_size: imageSize,
    patch_size: 4,
  },
  qformer_config: {
    vocab_size: 23,
    hidden_size: sizes.queryWidth,
    intermediate_size: 14,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    max_position_embeddings: 9,
  },
  text_config: {
    model_type: 'llama',
    vocab_size: vocabulary,
    hidden_size: sizes.width,
    intermediate_size: 24,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 6,
    max_position_embeddings: sizes.positions,
  },
};

export interface RandomModelOptions {
  /** names of the first three tokens; only the customary ones are found as begin or end token */
  readonly special?: readonly [string, string, string];
  /** how weights are stored; default F32 */
  readonly dtype?: 'F32' | 'F16' | 'BF16';
  /** layers of the language model (default 2) and of the vision model (default 1) */
  readonly layers?: number;
}

/** Writes the folder and returns its path. */
export function writeRandomModel(options: RandomModelOptions = {}): string {
  const { special = ['<pad>', '<s>', '</s>'], dtype = 'F32', layers } = options;
  const folder = mkdtempSync(join(tmpdir(), 'emac-model-'));
  const write = (name: string, json: object) => writeFileSync(join(folder, name), JSON.stringify(json));
  const counted = layers === undefined ? {} : { num_hidden_layers: layers };
  const whole = {
    ...config,
    vision_config: { ...config.vision_config, ...counted },
    text_config: { ...config.text_config, ...counted },
  };
  write('config.json', whole);
  write('preprocessor_config.json', { size: { height: imageSize, width: imageSize } });
  write('tokenizer.json', tokenizerJson(special));
  writeFileSync(join(folder, 'model.safetensors'), randomWeights(whole, dtype));
  return folder;
}

function tokenizerJson(special: readonly string[]): object {
  return {
    added_tokens: special.map((content, id) => ({ id, content, special: true, normalized: false })),
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: false },
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      vocab: Object.fromEntries([...special, ...characters].map((token, id) => [token, id])),
      merges: [],
    },
  };
}

/** Weights that keep activations near one in size. */
function randomWeights(whole: object, dtype: 'F32' | 'F16' | 'BF16'): Uint8Array {
  const random = Random.fromSeed('weights');
  const parsed = parseModelConfig(whole as never, 'test');
  const tensors = [...expectedTensors(parsed)].map(([name, expected]) => {
    const rows = name.startsWith('qformer.') ? config.qformer_config.vocab_size : vocabulary;
    const shape = expected.map((size) => size ?? rows);
    const isNorm = shape.length === 1 && name.endsWith('weight');
    const spread = shape.length === 1 ? 0.2 : 1 / Math.sqrt(shape.at(-1)!);
    const length = shape.reduce((product, size) => product * size, 1);
    const data = Float32Array.from({ length }, () => (isNorm ? 1 : 0) + spread * random.normal());
    return [name, { dtype, shape, data: stored(data, dtype) }] as const;
  });
  return encodeSafetensors(new Map(tensors));
}

function stored(data: Float32Array, dtype: 'F32' | 'F16' | 'BF16'): Float32Array | Uint16Array {
  if (dtype === 'F32') return data;
  if (dtype === 'F16') return float32ToFloat16(data);
  return new Uint16Array(data.buffer).filter((_, index) => index % 2 === 1);
}

/** A random projection of the model's widths, on tfjs's plain backend. */
export async function randomProjection(kind: ProjectionKind = 'linear'): Promise<Projection> {
  const { tf } = await loadTensorflow('cpu');
  return createProjection(tf, {
    kind,
    inputWidth: sizes.queryWidth,
    outputWidth: sizes.width,
    ...(kind === 'mlp' ? { hiddenWidth: 5 } : {}),
    parameters: Random.fromSeed('projection'),
  });
}

/** of every projection of the language model */
export const adapterSettings: Adapter['settings'] = {
  rank: 3,
  alpha: 6,
  rankStabilized: false,
  dropout: 0,
  targets: [...adapterTargets],
};

/** An adapter without zeros. */
export function randomAdapter(folder: string, changed: Partial<Adapter['settings']> = {}): Adapter {
  const { config } = openModelFiles(folder);
  const adapter = drawnAdapter(config, { ...adapterSettings, ...changed }, Random.fromSeed('adapter'));
  const random = Random.fromSeed('B');
  for (const [name, { data }] of adapter.parameters)
    if (name.includes('lora_B')) data.forEach((_, place) => (data[place] = 0.3 * random.normal()));
  return adapter;
}

/** Random Q-Former outputs. */
export function randomFeatures(seed: string): Features {
  const random = Random.fromSeed(seed);
  const data = Float32Array.from({ length: sizes.queries * sizes.queryWidth }, () => random.normal());
  return { key: seed, data };
}

/** A random picture for each seed, then a text. */
export function randomPrompt(text: string, ...seeds: readonly string[]): Prompt {
  return promptOf(seeds.map(randomFeatures), text);
}

/** An open question without a sampling generator. */
export function openQuestion(prompt: Prompt): Question {
  return { prompt, allowed: null, random: null };
}

export function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** The largest difference relative to the largest expected number. */
export function relativeDifference(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  return largestDifference(found, expected) / Math.max(...Array.from(expected, Math.abs));
}

export function randomFrame(seed: string): Frame {
  const random = Random.fromSeed(seed);
  const data = Uint8Array.from({ length: 10 * 6 * 3 }, () => random.integer(256));
  return { width: 10, height: 6, data };
}

/** The largest |a − b|. */
export function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Infinity;
  let largest = 0;
  for (let index = 0; index < a.length; index++) {
    const difference = Math.abs(a[index]! - b[index]!);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

/** Rows to imitate: with one picture and two, and answers of one word, two words and none. */
export const imitation: readonly GradientRow[] = [
  { prompt: randomPrompt('abc >', 'one'), answers: [' go'], weight: 0.5 },
  { prompt: randomPrompt('a', 'two'), answers: [' be kind'], weight: 0.2 },
  { prompt: randomPrompt('abc > lo >', 'one', 'two'), answers: [''], weight: 0.3 },
];
