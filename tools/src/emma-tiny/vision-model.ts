/**
 * The vision encoder of emma-tiny in training: the product's own ViT and Q-Former graphs and the projection, with
 * weights as inputs. The projection's target is the sum of the language model's vectors of each slot's words, so
 * untrained visual tokens are close to readable ones. Auxiliary classifiers (class, number, state) on the query tokens
 * help training and are discarded.
 */
import { qformer, vision, type InstructBlipConfig } from '@emac/backbone';
import type { Random } from '@emac/core';
import { op, type Graph, type Tensor } from '@emac/graph';
import { eyeShapes, initialEye } from '../tiny-model/eye.ts';
import type { Parameters } from '../tiny-model/parameters.ts';
import { floats, integers, trainerOf, type Trainer } from '../tiny-model/trainer.ts';

const heads = ['class', 'number', 'state'].map((part) => `describe.${part}.weight`);

/** The vision encoder and the classifiers. */
export function initialVision(config: InstructBlipConfig, vocabulary: number, random: Random): Parameters {
  const classifiers = heads.map((head): [string, number[]] => [
    head,
    [vocabulary, config.qformer.hiddenSize],
  ]);
  return initialEye(new Map([...eyeShapes(config), ...classifiers]), random);
}

/** Frames of one part of a batch. */
export interface VisionPart {
  /** [B, 3, H, W] */
  readonly pixels: Float32Array;
  /** [3, B·Nq], one row for each classifier */
  readonly labels: BigInt64Array;
  /** target output of the projection [B·Nq, D] */
  readonly vectors: Float32Array;
}

/** The squared error of a visual value counts in units of this: about the variance of a sum of word vectors. */
const vectorVariance = 0.02;

/** Frames of one part of a batch, and parts of a batch. */
export interface VisionBatch {
  readonly batch: number;
  readonly parts: number;
}

/**
 * The loss is the mean over all places of a batch's parts, which have equal numbers of frames. Outputs:
 * `log-probabilities` of each label [3, B·Nq], and `vector-error`, the mean squared error of the visual values in units
 * of their variance.
 */
export function visionTrainer(
  config: InstructBlipConfig,
  parameters: Parameters,
  { sessions, ...shape }: VisionBatch & { readonly sessions: number },
): Promise<Trainer<VisionPart>> {
  const { imageSize } = config.vision;
  const width = config.llama.hiddenSize;
  return trainerOf(parameters, {
    sessions,
    build: (graph, weight) => visionLoss(graph, weight, { config, ...shape }),
    feeds: ({ pixels, labels, vectors }: VisionPart) => ({
      vectors: floats([vectors.length / width, width], vectors),
      pixels: floats([shape.batch, 3, imageSize, imageSize], pixels),
      labels: integers([heads.length, labels.length / heads.length], labels),
    }),
  });
}

/** The part's share of the mean loss of all parts. */
function visionLoss(
  graph: Graph,
  weight: (name: string) => Tensor,
  { config, batch, parts }: VisionBatch & { readonly config: InstructBlipConfig },
): Tensor {
  const { imageSize } = config.vision;
  const rows = batch * config.queryTokens;
  const pixels = graph.input('pixels', 'float32', [batch, 3, imageSize, imageSize]);
  const labels = graph.input('labels', 'int64', [heads.length, rows]);
  const queries = qformer(weight, config.qformer, { imageHidden: vision(weight, config.vision, pixels) });
  const flat = op.reshape(queries, [rows, config.qformer.hiddenSize]);
  const logProbabilities = op.concat(
    heads.map((head, index) => {
      const own = op.reshape(op.slice(labels, 0, { start: index, end: index + 1 }), [rows]);
      return op.labelLogProbabilities(op.linear(flat, weight(head)), own);
    }),
    0,
  );
  const said = op.multiply(op.reduceMean(logProbabilities, [0]), graph.scalar(-1 / parts));
  const width = config.llama.hiddenSize;
  const given = op.add(
    op.linear(flat, weight('language_projection.weight')),
    weight('language_projection.bias'),
  );
  const off = op.subtract(given, graph.input('vectors', 'float32', [rows, width]));
  const squares = op.reshape(op.multiply(off, off), [rows * width]);
  const error = op.multiply(op.reduceMean(squares, [0]), graph.scalar(1 / (vectorVariance * parts)));
  graph.output('vector-error', error);
  const loss = op.add(said, error);
  graph.output('loss', loss);
  graph.output('log-probabilities', logProbabilities);
  return loss;
}
