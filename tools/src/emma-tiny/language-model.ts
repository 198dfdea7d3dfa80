/**
 * The language model of emma-tiny while it is being trained: the product's own LLaMA graph with its weights as graph
 * inputs, a weighted next-token loss and the gradients of all weights.
 */
import { llama, type LlamaConfig } from '@emac/backbone';
import type { Random } from '@emac/core';
import { gradients, Graph, op, type Tensor, type Value } from '@emac/graph';
import { sideBySide, summedGradients } from './side-by-side.ts';
import { slotCount } from './slots.ts';

export type Parameters = Map<string, { shape: readonly number[]; data: Float32Array }>;

/** Names and shapes of all weights, in Hugging Face's naming. */
export function weightShapes(config: LlamaConfig): Map<string, number[]> {
  const { hiddenSize: D, intermediateSize: F, heads, headSize, keyValueHeads, vocabulary: V } = config;
  const shapes = new Map<string, number[]>([['language_model.model.embed_tokens.weight', [V, D]]]);
  for (let layer = 0; layer < config.layers; layer++) {
    const name = (part: string) => `language_model.model.layers.${layer}.${part}.weight`;
    shapes.set(name('input_layernorm'), [D]);
    shapes.set(name('self_attn.q_proj'), [heads * headSize, D]);
    shapes.set(name('self_attn.k_proj'), [keyValueHeads * headSize, D]);
    shapes.set(name('self_attn.v_proj'), [keyValueHeads * headSize, D]);
    shapes.set(name('self_attn.o_proj'), [D, heads * headSize]);
    shapes.set(name('post_attention_layernorm'), [D]);
    shapes.set(name('mlp.gate_proj'), [F, D]);
    shapes.set(name('mlp.up_proj'), [F, D]);
    shapes.set(name('mlp.down_proj'), [D, F]);
  }
  shapes.set('language_model.model.norm.weight', [D]);
  shapes.set('language_model.lm_head.weight', [V, D]);
  return shapes;
}

/** A token that says two things, by id: it begins as the sum of another token's vectors and of some for the rest. */
export type Compositions = ReadonlyMap<number, { readonly of: number; readonly rest: string }>;

/** Norms start at 1, matrices normal with deviation 1/√in, those that write into the residual stream smaller. */
export function initialParameters(
  shapes: ReadonlyMap<string, number[]>,
  { layers, random, compositions }: { layers: number; random: Random; compositions: Compositions },
): Parameters {
  const parameters = drawnParameters(shapes, layers, random);
  for (const name of ['embed_tokens', 'lm_head']) {
    const [key, { shape, data }] = [...parameters].find(([each]) => each.includes(name))!;
    const width = shape[1]!;
    for (const [id, { of, rest }] of compositions) {
      const own = random.stream(key).stream(rest);
      for (let i = 0; i < width; i++) data[id * width + i] = data[of * width + i]! + 0.05 * own.normal();
    }
  }
  return parameters;
}

function drawnParameters(shapes: ReadonlyMap<string, number[]>, layers: number, random: Random): Parameters {
  return new Map(
    [...shapes].map(([name, shape]) => {
      const size = shape.reduce((product, dimension) => product * dimension, 1);
      const stream = random.stream(name);
      const residual = /o_proj|down_proj/.test(name) ? 1 / Math.sqrt(2 * layers) : 1;
      const deviation = /embed_tokens|lm_head/.test(name) ? 0.05 : residual / Math.sqrt(shape[1] ?? 1);
      const data =
        shape.length === 1
          ? new Float32Array(size).fill(1)
          : Float32Array.from({ length: size }, () => deviation * stream.normal());
      return [name, { shape, data }];
    }),
  );
}

/** Rows padded on the right, and the flat positions whose next token is a lesson. */
export interface BatchPart {
  readonly rows: number;
  /** slots before the text */
  readonly places: number;
  /** ids of the longest text */
  readonly length: number;
  /** words of the slots, [rows, places, 4] */
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

/** Its loss is the sum of the losses of its parts, which may be computed side by side. */
export interface Batch {
  readonly parts: readonly BatchPart[];
  /** padding included */
  readonly tokens: number;
}

export interface Losses {
  readonly loss: number;
  /** log-probability of each label, part after part */
  readonly logProbabilities: Float32Array;
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

export interface LanguageModelTrainer {
  run(parameters: Parameters, batch: Batch): Promise<Losses>;
  dispose(): Promise<void>;
}

/** Compiles loss and gradients, without `train` only the loss; `sessions` of one thread each share a batch's parts. */
export async function languageModelTrainer(
  config: LlamaConfig,
  options: { readonly train: boolean; readonly sessions: number },
): Promise<LanguageModelTrainer> {
  const graph = new Graph();
  const shapes = weightShapes(config);
  const weights = new Map([...shapes].map(([name, shape]) => [name, graph.input(name, 'float32', shape)]));
  const loss = weightedLoss(graph, config, weights);
  if (options.train)
    gradients([loss], [null], [...weights.values()]).forEach((gradient, index) =>
      graph.output(`gradient ${[...weights.keys()][index]!}`, gradient),
    );
  const networks = await sideBySide(graph, options.sessions);
  return {
    run: async (parameters, { parts }) => {
      const results = await networks.run(parts.map((part) => feedsOf(parameters, part)));
      const floats = (name: string) => results.map((result) => result[name]!.data as Float32Array);
      return {
        loss: floats('loss').reduce((sum, [loss]) => sum + loss!, 0),
        logProbabilities: Float32Array.from(floats('log-probabilities').flatMap((part) => [...part])),
        gradients: summedGradients(results),
      };
    },
    dispose: () => networks.dispose(),
  };
}

function weightedLoss(graph: Graph, config: LlamaConfig, weights: ReadonlyMap<string, Tensor>): Tensor {
  const ids = graph.input('ids', 'int64', ['B', 'T']);
  const vectors = weights.get('language_model.model.embed_tokens.weight')!;
  const slots = slotVectors(graph, vectors, config.hiddenSize);
  return lossAfter(op.concat([slots, op.gather(vectors, ids)], 1), config, {
    weights,
    count: `B*${slotCount}+B*T`,
  });
}

/**
 * Σ weight · −log p of labels after embeddings [B, S, D], which are `count` in all. Adds the inputs `positions`, `labels` and `weights` [L]
 * and the outputs `loss` and `log-probabilities` [L] to the graph.
 */
export function lossAfter(
  embeddings: Tensor,
  config: LlamaConfig,
  { weights, count }: { readonly weights: ReadonlyMap<string, Tensor>; readonly count: string },
): Tensor {
  const { graph } = embeddings;
  const named = (name: string) => weights.get(name)!;
  const positions = graph.input('positions', 'int64', ['L']);
  const labels = graph.input('labels', 'int64', ['L']);
  const labelWeights = graph.input('weights', 'float32', ['L']);
  const { hidden } = llama(named, config, { embeddings, ...attentionInputs(embeddings) });
  const rows = op.gather(op.reshape(hidden, [count, config.hiddenSize]), positions);
  const logits = op.linear(rows, named('language_model.lm_head.weight'));
  const logProbabilities = op.labelLogProbabilities(logits, labels);
  graph.output('log-probabilities', logProbabilities);
  const loss = op.negate(op.reduceSum(op.multiply(logProbabilities, labelWeights), [0]));
  graph.output('loss', loss);
  return loss;
}

/** The sum of the vectors of each slot's words and an offset [B, places, D]. */
function slotVectors(graph: Graph, vectors: Tensor, width: number): Tensor {
  const slots = graph.input('slots', 'int64', ['B', slotCount, 4]);
  const strengths = graph.input('strengths', 'float32', ['B', slotCount, 4]);
  const factors = op.reshape(strengths, ['B', slotCount, 4, 1]);
  const offsets = graph.input('offsets', 'float32', ['B', slotCount, width]);
  return op.add(op.reduceSum(op.multiply(op.gather(vectors, slots), factors), [2]), offsets);
}

/** Positions from 0 and a causal mask: padding on the right is never looked at. */
function attentionInputs(embeddings: Tensor): { positionIds: Tensor; mask: Tensor } {
  const { graph } = embeddings;
  const [batch, length] = embeddings.shape as [Tensor['shape'][number], Tensor['shape'][number]];
  const index = op.range(embeddings, 1);
  const positionIds = op.expand(op.reshape(index, [1, length]), [batch, length]);
  const seen = op.lessOrEqual(op.reshape(index, [1, 1, 1, length]), op.reshape(index, [1, 1, length, 1]));
  return { positionIds, mask: op.where(seen, graph.scalar(0), graph.scalar(-1e30)) };
}

function feedsOf(parameters: Parameters, part: BatchPart): Record<string, Value> {
  const { rows, places, length } = part;
  const count = part.positions.length;
  return {
    slots: { type: 'int64', shape: [rows, places, 4], data: part.slots },
    strengths: { type: 'float32', shape: [rows, places, 4], data: part.strengths },
    offsets: {
      type: 'float32',
      shape: [rows, places, part.offsets.length / (rows * places)],
      data: part.offsets,
    },
    ids: { type: 'int64', shape: [rows, length], data: part.ids },
    positions: { type: 'int64', shape: [count], data: part.positions },
    labels: { type: 'int64', shape: [count], data: part.labels },
    weights: { type: 'float32', shape: [count], data: part.weights },
    ...Object.fromEntries(
      [...parameters].map(([name, { shape, data }]) => [name, { type: 'float32' as const, shape, data }]),
    ),
  };
}
