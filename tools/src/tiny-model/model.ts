/** A tiny model while it is being trained, whole: the product's own graphs from pixels to answers with all weights as inputs. */
import { languageProjection, qformer, vision, type InstructBlipConfig } from '@emac/backbone';
import type { Random } from '@emac/core';
import { gradients, Graph, op, type Tensor, type Value } from '@emac/graph';
import { initialParameters, lossAfter, weightShapes, type Parameters } from '../emma-tiny/language-model.ts';
import { sideBySide, summedGradients } from '../emma-tiny/side-by-side.ts';
import { eyeShapes, initialVision } from '../emma-tiny/vision-model.ts';

/**
 * Filters of the patches begin six times as strong as emma-tiny's and nearly without their mean: a glyph or a rim is a few dark pixels of a patch
 * that is bright all over, and brightness alone would drown it.
 */
export function startParameters(config: InstructBlipConfig, vocabulary: number, random: Random): Parameters {
  const shapes = weightShapes({ ...config.llama, vocabulary });
  const { layers } = config.llama;
  const eye = initialVision(eyeShapes(config), random.stream('eye'));
  const { data: filters } = eye.get(patchEmbedding)!;
  const size = config.vision.patchSize ** 2;
  for (let start = 0; start < filters.length; start += size) {
    const filter = filters.subarray(start, start + size);
    const mean = filter.reduce((sum, value) => sum + value, 0) / size;
    filter.forEach((value, at) => (filter[at] = 6 * (value - 0.95 * mean)));
  }
  return new Map([
    ...eye,
    ...initialParameters(shapes, { layers, random: random.stream('text'), compositions: new Map() }),
  ]);
}

const patchEmbedding = 'vision_model.embeddings.patch_embedding.weight';

/** Shares of the learning rate: a patch is hundreds of numbers, mostly alike, which all move its vector together. */
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
  /** flat positions into [B · (visual tokens + T)] whose next token is learned, [L] */
  readonly positions: BigInt64Array;
  /** [L] */
  readonly labels: BigInt64Array;
  /** [L]; the loss is Σ weight · −log p */
  readonly weights: Float32Array;
  /** what each visual token is to say, [B · visual tokens], and what that weighs */
  readonly facts: BigInt64Array;
  readonly factWeights: Float32Array;
}

export interface Losses {
  readonly loss: number;
  /** of each label, part by part */
  readonly logProbabilities: readonly Float32Array[];
  /** of what visual tokens are to say, part by part */
  readonly factLogProbabilities: readonly Float32Array[];
  /** empty where nothing is trained */
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

export interface Trainer {
  /** the loss is the sum of those of the parts */
  run(parameters: Parameters, parts: readonly BatchPart[]): Promise<Losses>;
  dispose(): Promise<void>;
}

/** `sessions` of one thread each share the parts; what comes out does not depend on their number. */
export async function trainerOf(
  config: InstructBlipConfig,
  parameters: Parameters,
  { sessions }: { readonly sessions: number },
): Promise<Trainer> {
  const networks = await sideBySide(lossGraph(config, parameters), sessions);
  const { imageSize } = config.vision;
  const feedsOf = (part: BatchPart): Record<string, Value> => {
    const { rows, pixels, ids, positions, labels, weights, facts, factWeights } = part;
    const count = positions.length;
    return {
      pixels: { type: 'float32', shape: [rows, 3, imageSize, imageSize], data: pixels },
      ids: { type: 'int64', shape: [rows, ids.length / rows], data: ids },
      positions: { type: 'int64', shape: [count], data: positions },
      labels: { type: 'int64', shape: [count], data: labels },
      weights: { type: 'float32', shape: [count], data: weights },
      facts: { type: 'int64', shape: [facts.length], data: facts },
      'fact weights': { type: 'float32', shape: [facts.length], data: factWeights },
    };
  };
  return {
    async run(current, parts) {
      const held = Object.fromEntries(
        [...current].map(([name, { shape, data }]) => [name, { type: 'float32' as const, shape, data }]),
      );
      const results = await networks.run(parts.map((part) => ({ ...held, ...feedsOf(part) })));
      const floats = (name: string) => results.map((result) => result[name]!.data as Float32Array);
      return {
        loss: floats('loss').reduce((sum, [loss]) => sum + loss!, 0),
        logProbabilities: floats('log-probabilities'),
        factLogProbabilities: floats('fact log-probabilities'),
        gradients: summedGradients(results),
      };
    },
    dispose: () => networks.dispose(),
  };
}

function lossGraph(config: InstructBlipConfig, parameters: Parameters): Graph {
  const graph = new Graph();
  const weights = new Map<string, Tensor>(
    [...parameters].map(([name, { shape }]) => [name, graph.input(name, 'float32', shape)]),
  );
  const named = (name: string) => weights.get(name)!;
  const { imageSize } = config.vision;
  const pixels = graph.input('pixels', 'float32', ['B', 3, imageSize, imageSize]);
  const ids = graph.input('ids', 'int64', ['B', 'T']);
  const imageHidden = vision(named, config.vision, pixels);
  const visual = languageProjection(named, qformer(named, config.qformer, { imageHidden }));
  const words = op.gather(named('language_model.model.embed_tokens.weight'), ids);
  const said = lossAfter(op.concat([visual, words], 1), config.llama, {
    weights,
    count: `B*${config.queryTokens}+B*T`,
  });
  const loss = op.add(said, factLoss(visual, named('language_model.model.embed_tokens.weight'), config));
  const names = [...weights.keys()];
  gradients([loss], [null], [...weights.values()]).forEach((gradient, index) =>
    graph.output(`gradient ${names[index]!}`, gradient),
  );
  return graph;
}

/** A visual token says a word where it is more like that word's vector than like others'. */
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
