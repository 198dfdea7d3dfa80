/** The language model of emma-tiny in training: vectors of visible words come before the text. */
import type { InstructBlipConfig } from '@emac/backbone';
import type { Random } from '@emac/core';
import { op, type Graph, type Tensor } from '@emac/graph';
import { initialLanguageModel, lossAfter } from '../tiny-model/language-model.ts';
import type { Parameters } from '../tiny-model/parameters.ts';
import { floats, integers, trainerOf, type Trainer } from '../tiny-model/trainer.ts';
import type { TinyVocabulary } from '../tiny-model/vocabulary.ts';
import { numberAndRest } from './pieces.ts';
import { slotCount } from './slots.ts';

/** A token of a number and following text starts as the sum of the number's vectors and a vector of the rest. */
export function initialParameters(
  config: InstructBlipConfig,
  { size, ids }: TinyVocabulary,
  random: Random,
): Parameters {
  const parameters = initialLanguageModel(config, size, random);
  for (const key of ['language_model.model.embed_tokens.weight', 'language_model.lm_head.weight']) {
    const { shape, data } = parameters.get(key)!;
    const width = shape[1]!;
    for (const [text, id] of ids) {
      const parts = numberAndRest(text);
      const of = parts && ids.get(parts.number);
      if (of == null) continue;
      const own = random.stream(key).stream(parts!.rest);
      for (let i = 0; i < width; i++) data[id * width + i] = data[of * width + i]! + 0.05 * own.normal();
    }
  }
  return parameters;
}

/** Rows padded on the right, and the flat positions whose next token is a lesson. */
export interface BatchPart {
  readonly rows: number;
  /** slots before the text */
  readonly places: number;
  /** ids of the longest text */
  readonly length: number;
  /** three words of each slot and one it may be instead, [rows, places, 4] */
  readonly slots: BigInt64Array;
  /** factors on their vectors, 0 for no word, [rows, places, 4] */
  readonly strengths: Float32Array;
  /** added to the slots' vectors, [rows, places, D] */
  readonly offsets: Float32Array;
  /** [rows, length] */
  readonly ids: BigInt64Array;
  /** flat positions into [rows·(places + length)], [L] */
  readonly positions: BigInt64Array;
  /** [L] */
  readonly labels: BigInt64Array;
  /** [L]; the loss is Σ weight · −log p */
  readonly weights: Float32Array;
}

/** Its loss is the sum of its parts' losses; parts may be computed in parallel. */
export interface Batch {
  readonly parts: readonly BatchPart[];
  /** padding included */
  readonly tokens: number;
}

/** Output: `log-probabilities` of the labels. */
export function slotTrainer(
  { llama }: InstructBlipConfig,
  parameters: Parameters,
  sessions: number,
): Promise<Trainer<BatchPart>> {
  return trainerOf(parameters, {
    sessions,
    build(graph, weight) {
      const ids = graph.input('ids', 'int64', ['B', 'T']);
      const vectors = weight('language_model.model.embed_tokens.weight');
      const slots = slotVectors(graph, vectors, llama.hiddenSize);
      const embeddings = op.concat([slots, op.gather(vectors, ids)], 1);
      return lossAfter(embeddings, llama, { weight, count: `B*${slotCount}+B*T` });
    },
    feeds: ({ rows, places, length, slots, strengths, offsets, ids, ...lessons }) => ({
      slots: integers([rows, places, 4], slots),
      strengths: floats([rows, places, 4], strengths),
      offsets: floats([rows, places, offsets.length / (rows * places)], offsets),
      ids: integers([rows, length], ids),
      positions: integers([lessons.positions.length], lessons.positions),
      labels: integers([lessons.labels.length], lessons.labels),
      weights: floats([lessons.weights.length], lessons.weights),
    }),
  });
}

/** The sum of the vectors of each slot's words and an offset [B, places, D]. */
function slotVectors(graph: Graph, vectors: Tensor, width: number): Tensor {
  const slots = graph.input('slots', 'int64', ['B', slotCount, 4]);
  const strengths = graph.input('strengths', 'float32', ['B', slotCount, 4]);
  const factors = op.reshape(strengths, ['B', slotCount, 4, 1]);
  const offsets = graph.input('offsets', 'float32', ['B', slotCount, width]);
  return op.add(op.reduceSum(op.multiply(op.gather(vectors, slots), factors), [2]), offsets);
}
