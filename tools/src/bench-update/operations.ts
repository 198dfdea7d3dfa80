/**
 * Floating-point operations of the matrix products in one DPO update, from sizes alone; a product of [n, k] and [k, m]
 * is 2·n·k·m. Only the projection is trained. So the language model's backward pass has one product per weight product
 * and two per attention product, and the projection's input needs no gradient.
 */
import type { InstructBlipConfig } from '@emac/backbone';

type Networks = Pick<InstructBlipConfig, 'vision' | 'qformer' | 'llama' | 'queryTokens'>;
type LanguageModel = InstructBlipConfig['llama'];

/** Tokens of one pair's prompt (begin token included, visual ones not) and answers. */
export interface PairLengths {
  readonly prompt: number;
  readonly chosen: number;
  readonly rejected: number;
}

/** By part. */
export interface Operations {
  readonly vision: number;
  readonly projection: number;
  /** products with the weights of the language model's layers */
  readonly layers: number;
  readonly attention: number;
  readonly head: number;
}

/** One forward pass of the language model. */
interface Forward {
  readonly config: LanguageModel;
  readonly rows: number;
  readonly length: number;
  /** positions with computed logits, over all rows */
  readonly logits: number;
}

/** The passes of one way of computing an update. */
interface Plan {
  /** frames through vision model and Q-Former */
  readonly frames: number;
  /** samples through the projection, forward or backward */
  readonly projections: number;
  readonly forward: readonly Forward[];
  readonly backward: readonly Forward[];
}

/** As published: four forward and two backward passes, padded to the batch's longest row, logits at every position. */
export function publishedOperations(config: Networks, pairs: readonly PairLengths[]): Operations {
  const rows = pairs.length;
  const padded = (answer: 'chosen' | 'rejected'): Forward => {
    const length = config.queryTokens + Math.max(...pairs.map((pair) => pair.prompt + pair[answer]));
    return { config: config.llama, rows, length, logits: rows * length };
  };
  const passes = [padded('chosen'), padded('rejected')];
  const forward = [...passes, ...passes];
  return total(config, { frames: rows, projections: 3 * rows, forward, backward: passes });
}

/** Features and the reference's judgement at hand: one pass each way over rows that share their prompt, no padding. */
export function savedOperations(config: Networks, pairs: readonly PairLengths[]): Operations {
  const forward = sharedRows(config, pairs);
  return total(config, { frames: 0, projections: 2 * pairs.length, forward, backward: forward });
}

/** The same with all frames new and all pairs still to be judged by the reference. */
export function firstOperations(config: Networks, pairs: readonly PairLengths[]): Operations {
  const rows = sharedRows(config, pairs);
  const [frames, projections] = [pairs.length, 3 * pairs.length];
  return total(config, { frames, projections, forward: [...rows, ...rows], backward: rows });
}

/** All parts together. */
export function sumOf(operations: Operations): number {
  return Object.values<number>({ ...operations }).reduce((sum, part) => sum + part, 0);
}

function sharedRows({ queryTokens, llama }: Networks, pairs: readonly PairLengths[]): Forward[] {
  return pairs.map(({ prompt, chosen, rejected }) => {
    const length = queryTokens + prompt + chosen + rejected;
    return { config: llama, rows: 1, length, logits: chosen + rejected };
  });
}

function total(config: Networks, { frames, projections, forward, backward }: Plan): Operations {
  const sum = (passes: readonly Forward[], of: (pass: Forward) => number): number =>
    passes.reduce((operations, pass) => operations + of(pass), 0);
  const { queryTokens, qformer, llama } = config;
  return {
    vision: frames * (visionOperations(config.vision) + qformerOperations(config)),
    projection: projections * 2 * queryTokens * qformer.hiddenSize * llama.hiddenSize,
    layers: sum([...forward, ...backward], layerOperations),
    attention: sum([...forward, ...backward, ...backward], attentionOperations),
    head: sum([...forward, ...backward], headOperations),
  };
}

function layerOperations({ config, rows, length }: Forward): number {
  const { hiddenSize: width, heads, keyValueHeads, headSize, intermediateSize: inner, layers } = config;
  return (
    layers * rows * length * 2 * width * (2 * heads * headSize + 2 * keyValueHeads * headSize + 3 * inner)
  );
}

/** Scores and mixing, without the skipped quarter: later keys for earlier queries. */
function attentionOperations({ config, rows, length }: Forward): number {
  return (3 / 4) * config.layers * rows * 2 * 2 * length ** 2 * config.heads * config.headSize;
}

function headOperations({ config, logits }: Forward): number {
  return 2 * logits * config.hiddenSize * config.vocabulary;
}

/** One frame. */
function visionOperations({
  hiddenSize: width,
  intermediateSize: inner,
  layers,
  imageSize,
  patchSize,
}: Networks['vision']): number {
  const patches = Math.floor(imageSize / patchSize) ** 2;
  const tokens = patches + 1;
  const layer = 2 * tokens * width * (4 * width + 2 * inner) + 4 * tokens ** 2 * width;
  return 2 * patches * 3 * patchSize ** 2 * width + layers * layer;
}

/** One frame, no text. */
function qformerOperations({ qformer, queryTokens, vision }: Networks): number {
  const { hiddenSize: width, intermediateSize: inner, layers, crossAttentionFrequency } = qformer;
  const imageTokens = Math.floor(vision.imageSize / vision.patchSize) ** 2 + 1;
  const own = 2 * queryTokens * width * (4 * width + 2 * inner) + 4 * queryTokens ** 2 * width;
  const ofQueries = 2 * queryTokens * 2 * width ** 2 + 4 * queryTokens * imageTokens * width;
  const cross = ofQueries + 2 * imageTokens * 2 * qformer.encoderHiddenSize * width;
  return layers * own + Math.ceil(layers / crossAttentionFrequency) * cross;
}
