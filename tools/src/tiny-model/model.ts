/** A tiny model while it is being trained, whole: the product's own graphs from pixels to answers with all weights as inputs. */
import { languageProjection, qformer, vision, type InstructBlipConfig } from '@emac/backbone';
import type { Random } from '@emac/core';
import { op, type Graph, type Tensor } from '@emac/graph';
import { eyeShapes, initialEye } from './eye.ts';
import { initialLanguageModel, lossAfter } from './language-model.ts';
import type { Parameters } from './parameters.ts';
import { floats, integers, trainerOf, type Trainer } from './trainer.ts';

/**
 * Patch filters begin six times as strong as emma-tiny's and nearly zero-mean: a glyph or a rim is a few dark pixels in
 * a bright patch, and brightness alone would drown it.
 */
export function startParameters(config: InstructBlipConfig, vocabulary: number, random: Random): Parameters {
  const eye = initialEye(eyeShapes(config), random.stream('eye'));
  const { data: filters } = eye.get(patchEmbedding)!;
  const size = config.vision.patchSize ** 2;
  for (let start = 0; start < filters.length; start += size) {
    const filter = filters.subarray(start, start + size);
    const mean = filter.reduce((sum, value) => sum + value, 0) / size;
    filter.forEach((value, at) => (filter[at] = 6 * (value - 0.95 * mean)));
  }
  return new Map([...eye, ...initialLanguageModel(config, vocabulary, random.stream('text'))]);
}

const patchEmbedding = 'vision_model.embeddings.patch_embedding.weight';

/** Factors of the learning rate: a patch has hundreds of mostly equal numbers, which all move its vector together. */
export function rateScale(name: string): number {
  if (name === patchEmbedding) return 0.05;
  return name.startsWith('language_model') ? 1 : 1.5;
}

/** Rows of similar length, padded on the right. */
export interface BatchPart {
  /** [B, 3, H, W] */
  readonly pixels: Float32Array;
  readonly rows: number;
  /** [B, T] */
  readonly ids: BigInt64Array;
  /** flat positions into [B · (visual tokens + T)] with a next-token lesson, [L] */
  readonly positions: BigInt64Array;
  /** [L] */
  readonly labels: BigInt64Array;
  /** [L]; the loss is Σ weight · −log p */
  readonly weights: Float32Array;
  /** target of each visual token, [B · visual tokens], and its weight */
  readonly facts: BigInt64Array;
  readonly factWeights: Float32Array;
}

/**
 * The loss is the sum of the parts' losses. Outputs: `log-probabilities` of the labels, `fact log-probabilities` of the
 * visual tokens' targets.
 */
export function wholeTrainer(
  config: InstructBlipConfig,
  parameters: Parameters,
  sessions: number,
): Promise<Trainer<BatchPart>> {
  const { imageSize } = config.vision;
  return trainerOf(parameters, {
    sessions,
    build: (graph, weight) => wholeLoss(graph, weight, config),
    feeds: ({ rows, pixels, ids, positions, labels, weights, facts, factWeights }: BatchPart) => ({
      pixels: floats([rows, 3, imageSize, imageSize], pixels),
      ids: integers([rows, ids.length / rows], ids),
      positions: integers([positions.length], positions),
      labels: integers([positions.length], labels),
      weights: floats([positions.length], weights),
      facts: integers([facts.length], facts),
      'fact weights': floats([facts.length], factWeights),
    }),
  });
}

function wholeLoss(graph: Graph, weight: (name: string) => Tensor, config: InstructBlipConfig): Tensor {
  const { imageSize } = config.vision;
  const pixels = graph.input('pixels', 'float32', ['B', 3, imageSize, imageSize]);
  const ids = graph.input('ids', 'int64', ['B', 'T']);
  const imageHidden = vision(weight, config.vision, pixels);
  const visual = languageProjection(weight, qformer(weight, config.qformer, { imageHidden }));
  const vectors = weight('language_model.model.embed_tokens.weight');
  const said = lossAfter(op.concat([visual, op.gather(vectors, ids)], 1), config.llama, {
    weight,
    count: `B*${config.queryTokens}+B*T`,
  });
  return op.add(said, factLoss(visual, vectors, config));
}

/** A visual token predicts the word whose vector is most similar. */
function factLoss(visual: Tensor, vectors: Tensor, { queryTokens, llama }: InstructBlipConfig): Tensor {
  const { graph } = visual;
  const count = `B*${queryTokens}`;
  const facts = graph.input('facts', 'int64', [count]);
  const weights = graph.input('fact weights', 'float32', [count]);
  const logits = op.linear(op.reshape(visual, [count, llama.hiddenSize]), vectors);
  const logProbabilities = op.labelLogProbabilities(logits, facts);
  graph.output('fact log-probabilities', logProbabilities);
  return op.negate(op.reduceSum(op.multiply(logProbabilities, weights), [0]));
}
