import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import type { Frame } from '@emac/core';
import { openSafetensors, readFloat32 } from '@emac/files';
import { createSession, Graph, op } from '@emac/graph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { attentionBias } from './networks/attention-bias.ts';
import { asInstructBlip } from './families/as-instructblip.ts';
import { loadBackbone, type Backbone } from './backbone.ts';
import { defaultSearch } from './generation/search/search-options.ts';
import { llama } from './networks/llama.ts';
import { embedTokens, languageModelHead, languageProjection } from './networks/tokens.ts';

/** The results of transformers with the shipped model, read by InstructBlipForConditionalGeneration. */
const fixtures = new URL('../fixtures/emma-tiny/', import.meta.url);
const model = new URL('../../emma-tiny/model/', import.meta.url).pathname;

interface Scene {
  readonly text: string;
  readonly chosen: string;
  readonly frame: { readonly width: number; readonly height: number };
}
interface Expected {
  readonly model_sha256: string;
  readonly every: number;
  readonly searches: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly qformer_text: { readonly text: string; readonly ids: readonly number[] };
  readonly scenes: readonly {
    readonly prompt: readonly number[];
    readonly target: readonly number[];
    readonly pixel_values_sha256: string;
    readonly generated: Readonly<Record<string, readonly number[]>>;
  }[];
}
interface Tokens {
  readonly text: string;
  readonly ids: readonly number[];
  readonly decoded: string;
  readonly qformer_ids: readonly number[];
  readonly qformer_ids_with_special: readonly number[];
}

const scenes = json<Scene[]>('scenes.json');
const expected = json<Expected>('expected.json');
const tensors = openSafetensors(new URL('expected.safetensors', fixtures).pathname);
const frames = scenes.map(({ frame }, index): Frame => {
  const data = new Uint8Array(gunzipSync(readFileSync(new URL(`frame-${index}.rgb.gz`, fixtures))));
  return { ...frame, data };
});

let backbone: Backbone;
beforeAll(() => {
  backbone = loadBackbone(model, { threads: 1 });
});
afterAll(() => backbone.dispose());

describe('emma-tiny against Hugging Face transformers', () => {
  it('is the model of the fixture', () => {
    const found = createHash('sha256').update(readFileSync(`${model}model.safetensors`));
    expect(found.digest('hex'), 'make the fixture again: tools/reference/README.md').toBe(
      expected.model_sha256,
    );
  });

  it('gets exactly the pixel values of BlipImageProcessor', () => {
    const every = expected.every;
    const some = readFloat32(tensors, 'pixel_values');
    frames.forEach((frame, scene) => {
      const ours = backbone.imageProcessor.process(frame);
      const side = 224 / every;
      const sampled = Array.from({ length: 3 * side * side }, (_, place) => {
        const [channel, row, column] = [
          Math.floor(place / side / side),
          Math.floor(place / side) % side,
          place % side,
        ];
        return ours[channel * 224 * 224 + row * every * 224 + column * every];
      });
      expect(sampled).toEqual([...some.subarray(scene * sampled.length, (scene + 1) * sampled.length)]);
      const bytes = Buffer.from(ours.buffer, ours.byteOffset, ours.byteLength);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(
        expected.scenes[scene]!.pixel_values_sha256,
      );
    });
  });

  it('splits texts into the same tokens with both tokenizers, and joins them to the same text', () => {
    const list = json<Tokens[]>('tokens.json');
    expect(list.length).toBeGreaterThan(49);
    const [words, queries] = [backbone.tokenizer(), backbone.qformerTokenizer()];
    for (const { text, ids, decoded, ...qformer } of list) {
      expect(words.encode(text), text).toEqual(ids);
      expect(words.decode(ids), text).toBe(decoded);
      expect(queries.encode(text), text).toEqual(qformer.qformer_ids);
      expect(queries.encode(text, { special: true }), text).toEqual(qformer.qformer_ids_with_special);
    }
  });

  it('has the same Q-Former outputs, without and with text', async () => {
    const size = 16 * 96;
    const features = readFloat32(tensors, 'features');
    for (const [scene, frame] of frames.entries()) {
      const ours = await backbone.features(backbone.imageProcessor.process(frame));
      expect(relativeError(ours, features.subarray(scene * size, (scene + 1) * size))).toBeLessThan(1e-4);
    }
    const { text, ids } = expected.qformer_text;
    expect(backbone.qformerTokenizer().encode(text, { special: true })).toEqual(ids);
    const reading = await backbone.features(backbone.imageProcessor.process(frames[0]!), ids);
    expect(relativeError(reading, readFloat32(tensors, 'features_with_text'))).toBeLessThan(1e-4);
  });

  it('has the same logits at every predicted token of the expert, and the same loss', async () => {
    const theirs = readFloat32(tensors, 'label_logits');
    const vocabulary = backbone.files.vocabulary;
    let [offset, loss] = [0, 0];
    for (const [scene, { target }] of expected.scenes.entries()) {
      const ours = await targetLogits(scene);
      expect(ours.length).toBe(target.length * vocabulary);
      expect(relativeError(ours, theirs.subarray(offset, offset + ours.length))).toBeLessThan(1e-4);
      offset += ours.length;
      target.forEach((token, label) => {
        const row = ours.subarray(label * vocabulary, (label + 1) * vocabulary);
        loss += Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0)) - row[token]!;
      });
    }
    expect(offset).toBe(theirs.length);
    const tokens = theirs.length / vocabulary;
    expect(relativeError([loss / tokens], readFloat32(tensors, 'loss'))).toBeLessThan(1e-4);
  });

  it.each(Object.keys(expected.searches))('gives the same answers: %s', async (name) => {
    const search = expected.searches[name]!;
    for (const [scene, { generated, prompt }] of expected.scenes.entries()) {
      const { tokens } = await backbone.generate(
        { visual: await visualTokens(scene), tokens: prompt },
        {
          ...defaultSearch,
          endTokens: [2],
          beams: search['num_beams']!,
          maxNewTokens: search['max_new_tokens']!,
          minNewTokens: search['min_new_tokens'] ?? 0,
          lengthPenalty: search['length_penalty'] ?? 1,
          repetitionPenalty: search['repetition_penalty'] ?? 1,
          // transformers counts the image placeholders as prompt ids
          promptTokens: [asInstructBlip(backbone.files).config.imageToken!, ...prompt],
        },
      );
      expect(tokens).toEqual(generated[name]);
    }
  });
});

/** Visual tokens [Nq, D] of a scene's frame, by the model's own projection. */
async function visualTokens(scene: number): Promise<Float32Array> {
  const features = await backbone.features(backbone.imageProcessor.process(frames[scene]!));
  const { qformer, queryTokens } = asInstructBlip(backbone.files).config;
  const graph = new Graph();
  const queries = graph.input('queries', 'float32', [queryTokens, qformer.hiddenSize]);
  graph.output('visual', languageProjection(backbone.files.weights(graph), queries));
  return run(graph, { queries: { type: 'float32', shape: queries.shape as number[], data: features } });
}

/** Logits [L, V] at the places that predict the target after its prompt. */
async function targetLogits(scene: number): Promise<Float32Array> {
  const { config, weights: weightsOf } = asInstructBlip(backbone.files);
  const { text, chosen } = scenes[scene]!;
  const tokenizer = backbone.tokenizer();
  const prompt = [tokenizer.beginToken!, ...tokenizer.encode(text)];
  const whole = [tokenizer.beginToken!, ...tokenizer.encode(text + chosen), tokenizer.endToken!];
  expect(whole).toEqual([...expected.scenes[scene]!.prompt, ...expected.scenes[scene]!.target]);
  const graph = new Graph();
  const weights = weightsOf(graph);
  const { queryTokens } = config;
  const length = queryTokens + whole.length;
  const visual = graph.input('visual', 'float32', [1, queryTokens, config.llama.hiddenSize]);
  const tokens = graph.input('tokens', 'int64', [1, whole.length]);
  const segments = graph.input('segments', 'int64', [1, length]);
  const positionIds = graph.input('positions', 'int64', [1, length]);
  const embeddings = op.concat([visual, embedTokens(weights, config.llama, tokens)], 1);
  const { hidden } = llama(weights, config.llama, { embeddings, positionIds, mask: attentionBias(segments) });
  const first = queryTokens + prompt.length - 1;
  graph.output('logits', languageModelHead(weights, op.slice(hidden, 1, { start: first, end: length - 1 })));
  return run(graph, {
    visual: {
      type: 'float32',
      shape: [1, queryTokens, config.llama.hiddenSize],
      data: await visualTokens(scene),
    },
    tokens: integers(whole),
    segments: integers(Array<number>(length).fill(0)),
    positions: integers([...Array(length).keys()]),
  });
}

async function run(graph: Graph, feeds: Parameters<Awaited<ReturnType<typeof createSession>>['run']>[0]) {
  const session = await createSession(graph, { threads: 1 });
  try {
    return Object.values(await session.run(feeds))[0]!.data as Float32Array;
  } finally {
    await session.dispose();
  }
}

function integers(values: readonly number[]) {
  return { type: 'int64' as const, shape: [1, values.length], data: BigInt64Array.from(values, BigInt) };
}

/** max |a − b| / max |b| */
function relativeError(a: ArrayLike<number>, b: Float32Array): number {
  expect(a.length).toBe(b.length);
  const magnitude = b.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return b.reduce((most, value, index) => Math.max(most, Math.abs(a[index]! - value)), 0) / magnitude;
}

function json<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, fixtures), 'utf8')) as T;
}
