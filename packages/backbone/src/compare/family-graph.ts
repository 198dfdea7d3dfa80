/**
 * One row of a comparison folder of a family as one graph: connector, language model, log-probabilities of the answer,
 * and the gradient of their sum in the connector and in an adapter, through the frozen language model.
 */
import { Graph, gradients, op, type Tensor } from '@emac/graph';

import type { Vision } from '../families/family.ts';
import type { ModelFiles } from '../files/model-files.ts';
import { activate } from '../networks/activation.ts';
import { adapterGradient, adapterInputs, isAdapterWeight, type AdapterForm } from '../networks/adapter.ts';
import { attentionBias } from '../networks/attention-bias.ts';
import { deepInputs } from '../networks/deep-stack.ts';
import { masksOf } from '../networks/layer-kinds.ts';
import { llama } from '../networks/llama.ts';
import { embedTokens, languageModelHead, placed } from '../networks/tokens.ts';
import type { Weights } from '../networks/weights.ts';

const projection = 'language_projection.';

/** Suffixes of the connector's tensors after their common prefix: `0.weight`, `0.bias`, `2.weight`, … */
export function connectorParameters({ tensors }: Pick<ModelFiles, 'tensors'>): string[] {
  return [...tensors.keys()]
    .filter((name) => name.startsWith(projection))
    .map((name) => name.slice(projection.length));
}

/**
 * `rows` [R, W] and `row_order` int64 [N] (R + k for a fixed row k) → `visual` [N, D]; with `tokens` int64 [1, L], `places` and
 * `position_ids` as in generation, `label_positions` and `labels` int64 [A] → `logits` [N + L, V], `log_probs` [A] and
 * `grad_0.weight` … of −Σ log_probs; with a deep stack `deep_l` [1, N, D]; with an adapter its inputs (`adapterInputs`) and gradients (`adapterGradient`).
 * Families that read text alone have none of `rows`, `row_order`, `places` and `visual`.
 */
export function familyGraph(files: ModelFiles, adapter: AdapterForm | null = null): Graph {
  const { config, tensors } = files;
  const graph = new Graph();
  const weights = files.weights(graph);
  const axes = config.llama.rotarySections ? [3] : [];
  const names = connectorParameters({ tensors });
  const visual = files.family.vision && visualRows(files, files.family.vision, { graph, weights });
  const words = embedTokens(weights, config.llama, graph.input('tokens', 'int64', [1, 'L']));
  const length = visual ? 'L+N' : 'L';
  const places = visual ? graph.input('places', 'int64', [1, length]) : undefined;
  const positionIds = graph.input('position_ids', 'int64', [...axes, 1, length]);
  const segments = graph.input('segments', 'int64', [1, length]);
  const seen = visual && op.reshape(visual, [1, 'N', config.llama.hiddenSize]);
  const embeddings = placed(seen, words, places);
  const deep = seen
    ? deepInputs(graph, config.llama, { visual: seen.shape, words: words.shape, places })
    : [];
  const masks = masksOf(config.llama, positionIds, (window) => attentionBias(segments, window));
  const adapt = adapterInputs(graph, adapter);
  const { hidden } = llama(weights, config.llama, { embeddings, positionIds, ...masks, adapt, deep });
  const scores = languageModelHead(weights, hidden);
  const logits = op.reshape(scores, [length, scores.shape[2]!]);
  graph.output('logits', logits);
  const before = op.gather(logits, graph.input('label_positions', 'int64', ['A']));
  const logProbs = op.labelLogProbabilities(before, graph.input('labels', 'int64', ['A']));
  graph.output('log_probs', logProbs);
  const loss = op.negate(op.reduceSum(logProbs, [0]));
  const adapted = graph.inputs.filter(({ name }) => isAdapterWeight(name));
  const parameters = [...names.map((name) => weights(`${projection}${name}`)), ...adapted];
  const outputs = [
    ...names.map((name) => `grad_${name}`),
    ...adapted.map(({ name }) => adapterGradient(name)),
  ];
  if (parameters.length > 0)
    gradients([loss], [null], parameters).forEach((gradient, index) =>
      graph.output(outputs[index]!, gradient),
    );
  return graph;
}

/** Visual tokens [N, D], an output too. */
function visualRows(
  files: ModelFiles,
  vision: Vision,
  { graph, weights }: { readonly graph: Graph; readonly weights: Weights },
): Tensor {
  const { inputWidth, fixed } = vision.connector(files);
  const { hiddenSize } = files.config.llama;
  const rows = graph.input('rows', 'float32', ['R', inputWidth]);
  const projected = connector(weights, connectorParameters(files), rows);
  const table = fixed
    ? op.concat([projected, op.reshape(weights(fixed), [rowsOf(files, fixed), hiddenSize])], 0)
    : projected;
  const visual = op.gather(table, graph.input('row_order', 'int64', ['N']));
  graph.output('visual', visual);
  return visual;
}

/** Rows of a tensor as wide as the language model. */
function rowsOf({ tensors, config }: ModelFiles, name: string): number {
  return tensors.get(name)!.shape.reduce((product, each) => product * each, 1) / config.llama.hiddenSize;
}

/** Layer after layer, with a GELU between two layers. */
function connector(weights: Weights, names: readonly string[], rows: Tensor): Tensor {
  const layers = names.filter((name) => name.endsWith('weight')).map((name) => name.replace(/weight$/, ''));
  return layers.reduce((x, layer, index) => {
    const weight = weights(`${projection}${layer}weight`);
    const bias = names.includes(`${layer}bias`) ? weights(`${projection}${layer}bias`) : undefined;
    return op.linear(index === 0 ? x : activate('gelu', x), weight, bias);
  }, rows);
}
