/**
 * The eye of emma-tiny while it is being trained: the product's own ViT and Q-Former graphs with weights as inputs,
 * and classifiers that read the words of each slot (class, number, state) from its query token. They are thrown away
 * afterwards: the projection is fitted to the language model's word vectors instead (`fit-projection.ts`).
 */
import { expectedTensors, qformer, vision, type ModelConfig } from '@emac/backbone';
import type { Random } from '@emac/core';
import { createSession, gradients, Graph, op, type Session, type Value } from '@emac/graph';
import type { Parameters } from './language-model.ts';

const heads = ['class', 'number', 'state'].map((part) => `describe.${part}.weight`);

/** Names and shapes of what is trained. */
export function visionShapes(config: ModelConfig, vocabulary: number): Map<string, number[]> {
  const trained = [...expectedTensors(config)].filter(
    ([name]) =>
      name.startsWith('vision_model.') ||
      name === 'query_tokens' ||
      /^qformer\.(embeddings\.layernorm|encoder.*(attention|_query))/.test(name),
  );
  return new Map([
    ...trained.map(([name, shape]) => [name, shape as number[]] as const),
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

export interface VisionTrainer {
  /** pixels [B, 3, H, W], labels [3, B·Nq], one row for each classifier */
  run(parameters: Parameters, pixels: Float32Array, labels: BigInt64Array): Promise<VisionLosses>;
  dispose(): Promise<void>;
}

export interface VisionLosses {
  readonly loss: number;
  /** log-probability of each label [3·B·Nq] */
  readonly logProbabilities: Float32Array;
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

export async function visionTrainer(
  config: ModelConfig,
  shapes: ReadonlyMap<string, number[]>,
  options: { readonly batch: number; readonly threads: number },
): Promise<VisionTrainer> {
  const graph = new Graph();
  const weights = new Map([...shapes].map(([name, shape]) => [name, graph.input(name, 'float32', shape)]));
  const named = (name: string) => weights.get(name)!;
  const { imageSize } = config.vision;
  const rows = options.batch * config.queryTokens;
  const pixels = graph.input('pixels', 'float32', [options.batch, 3, imageSize, imageSize]);
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
  const loss = op.negate(op.reduceMean(logProbabilities, [0]));
  graph.output('loss', loss);
  graph.output('log-probabilities', logProbabilities);
  const names = [...weights.keys()];
  gradients([loss], [null], [...weights.values()]).forEach((gradient, index) =>
    graph.output(`gradient ${names[index]!}`, gradient),
  );
  const session = await createSession(graph, { thread: 'main', threads: options.threads });
  return {
    run: (parameters, data, ids) =>
      run(session, parameters, { pixels: data, labels: ids, imageSize, batch: options.batch }),
    dispose: () => session.dispose(),
  };
}

async function run(
  session: Session,
  parameters: Parameters,
  input: { pixels: Float32Array; labels: BigInt64Array; imageSize: number; batch: number },
): Promise<VisionLosses> {
  const feeds: Record<string, Value> = {
    pixels: {
      type: 'float32',
      shape: [input.batch, 3, input.imageSize, input.imageSize],
      data: input.pixels,
    },
    labels: { type: 'int64', shape: [heads.length, input.labels.length / heads.length], data: input.labels },
  };
  for (const [name, { shape, data }] of parameters) feeds[name] = { type: 'float32', shape, data };
  const results = await session.run(feeds);
  const floats = (name: string) => results[name]!.data as Float32Array;
  const names = Object.keys(results).filter((name) => name.startsWith('gradient '));
  return {
    loss: floats('loss')[0]!,
    logProbabilities: floats('log-probabilities'),
    gradients: new Map(names.map((name) => [name.slice(9), floats(name)])),
  };
}
