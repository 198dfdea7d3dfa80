/**
 * The eye of emma-tiny while it is being trained: the product's own ViT and Q-Former graphs and the projection with weights
 * as inputs. The projection is to give the sum of the language model's own vectors of each slot's words, so that untrained
 * visual tokens are near what the model can read; classifiers that read the words (class, number, state) from the query
 * tokens help, and are thrown away afterwards.
 */
import { expectedTensors, qformer, vision, type InstructBlipConfig } from '@emac/backbone';
import type { Random } from '@emac/core';
import { gradients, Graph, op, type Value } from '@emac/graph';
import type { Parameters } from './language-model.ts';
import { sideBySide, summedGradients } from './side-by-side.ts';

const heads = ['class', 'number', 'state'].map((part) => `describe.${part}.weight`);

/** Names and shapes of ViT, Q-Former without text, and projection. */
export function eyeShapes(config: InstructBlipConfig): Map<string, number[]> {
  const trained = [...expectedTensors(config)].filter(
    ([name]) =>
      name.startsWith('vision_model.') ||
      name.startsWith('language_projection.') ||
      name === 'query_tokens' ||
      /^qformer\.(embeddings\.layernorm|encoder.*(attention|_query))/.test(name),
  );
  return new Map(trained.map(([name, shape]) => [name, shape as number[]]));
}

/** The same and the classifiers. */
export function visionShapes(config: InstructBlipConfig, vocabulary: number): Map<string, number[]> {
  return new Map([
    ...eyeShapes(config),
    ...heads.map((head): [string, number[]] => [head, [vocabulary, config.qformer.hiddenSize]]),
  ]);
}

export function initialVision(shapes: ReadonlyMap<string, number[]>, random: Random): Parameters {
  return new Map(
    [...shapes].map(([name, shape]) => {
      const size = shape.reduce((product, dimension) => product * dimension, 1);
      const stream = random.stream(name);
      const deviation =
        /embedding|query_tokens/.test(name) && !/patch/.test(name) ? 0.05 : 1 / Math.sqrt(size / shape[0]!);
      const norm = /norm/i.test(name);
      const fill = norm && name.endsWith('weight') ? 1 : 0;
      const constant = shape.length === 1;
      const scale = name === 'query_tokens' ? 1 : deviation;
      const data = constant
        ? new Float32Array(size).fill(fill)
        : Float32Array.from({ length: size }, () => scale * stream.normal());
      return [name, { shape, data }];
    }),
  );
}

/** Frames of one part of a batch. */
export interface VisionPart {
  /** [B, 3, H, W] */
  readonly pixels: Float32Array;
  /** [3, B·Nq], one row for each classifier */
  readonly labels: BigInt64Array;
  /** what the projection is to give [B·Nq, D] */
  readonly vectors: Float32Array;
}

export interface VisionTrainer {
  /** parts of equally many frames; the loss is the mean over all places */
  run(parameters: Parameters, parts: readonly VisionPart[]): Promise<VisionLosses>;
  dispose(): Promise<void>;
}

export interface VisionLosses {
  readonly loss: number;
  /** log-probability of each label [3, B·Nq], part after part */
  readonly logProbabilities: readonly Float32Array[];
  /** mean squared error of the visual values, in units of their variance */
  readonly vectorError: number;
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

/** The squared error of a visual value counts in units of this: about the variance of a sum of word vectors. */
const vectorVariance = 0.02;

/** Compiles loss and gradients for parts of `batch` frames. */
export async function visionTrainer(
  config: InstructBlipConfig,
  shapes: ReadonlyMap<string, number[]>,
  options: { readonly batch: number; readonly parts: number; readonly sessions: number },
): Promise<VisionTrainer> {
  const { batch } = options;
  const { imageSize } = config.vision;
  const networks = await sideBySide(visionGraph(config, shapes, options), options.sessions);
  const width = config.llama.hiddenSize;
  const feedsOf = (
    parameters: Parameters,
    { pixels, labels, vectors }: VisionPart,
  ): Record<string, Value> => ({
    vectors: { type: 'float32', shape: [vectors.length / width, width], data: vectors },
    pixels: { type: 'float32', shape: [batch, 3, imageSize, imageSize], data: pixels },
    labels: { type: 'int64', shape: [heads.length, labels.length / heads.length], data: labels },
    ...Object.fromEntries(
      [...parameters].map(([name, { shape, data }]) => [name, { type: 'float32' as const, shape, data }]),
    ),
  });
  return {
    async run(parameters, parts) {
      const results = await networks.run(parts.map((part) => feedsOf(parameters, part)));
      const floats = (name: string) => results.map((result) => result[name]!.data as Float32Array);
      return {
        loss: floats('loss').reduce((sum, [loss]) => sum + loss!, 0),
        logProbabilities: floats('log-probabilities'),
        vectorError: floats('vector-error').reduce((sum, [error]) => sum + error!, 0),
        gradients: summedGradients(results),
      };
    },
    dispose: () => networks.dispose(),
  };
}

/** The part's share of the mean loss of all parts, and its gradients. */
function visionGraph(
  config: InstructBlipConfig,
  shapes: ReadonlyMap<string, number[]>,
  { batch, parts }: { readonly batch: number; readonly parts: number },
): Graph {
  const graph = new Graph();
  const weights = new Map([...shapes].map(([name, shape]) => [name, graph.input(name, 'float32', shape)]));
  const named = (name: string) => weights.get(name)!;
  const { imageSize } = config.vision;
  const rows = batch * config.queryTokens;
  const pixels = graph.input('pixels', 'float32', [batch, 3, imageSize, imageSize]);
  const labels = graph.input('labels', 'int64', [heads.length, rows]);
  const queries = qformer(named, config.qformer, { imageHidden: vision(named, config.vision, pixels) });
  const flat = op.reshape(queries, [rows, config.qformer.hiddenSize]);
  const logProbabilities = op.concat(
    heads.map((head, index) => {
      const own = op.reshape(op.slice(labels, 0, { start: index, end: index + 1 }), [rows]);
      return op.labelLogProbabilities(op.linear(flat, named(head)), own);
    }),
    0,
  );
  const said = op.multiply(op.reduceMean(logProbabilities, [0]), graph.scalar(-1 / parts));
  const width = config.llama.hiddenSize;
  const given = op.add(
    op.linear(flat, named('language_projection.weight')),
    named('language_projection.bias'),
  );
  const off = op.subtract(given, graph.input('vectors', 'float32', [rows, width]));
  const squares = op.reshape(op.multiply(off, off), [rows * width]);
  const error = op.multiply(op.reduceMean(squares, [0]), graph.scalar(1 / (vectorVariance * parts)));
  graph.output('vector-error', error);
  const loss = op.add(said, error);
  graph.output('loss', loss);
  graph.output('log-probabilities', logProbabilities);
  const names = [...weights.keys()];
  gradients([loss], [null], [...weights.values()]).forEach((gradient, index) =>
    graph.output(`gradient ${names[index]!}`, gradient),
  );
  return graph;
}
