/**
 * The frozen language model as networks over packed rows (`rows.ts`): log-probabilities of the labels, and losses to
 * be differentiated in the visual tokens. Logits are computed at label positions only (unless asked for everywhere, as
 * the published code has them), in the last layer nothing before the first label, and no weight receives a gradient.
 */
import {
  attentionBias,
  embedTokens,
  languageModelHead,
  llama,
  type Network,
  type NetworkModel,
} from '@emac/backbone';
import type { PreferenceOptions } from '@emac/core';
import { Graph, gradients, op, type Tensor } from '@emac/graph';
import { preferenceLoss } from '@emac/losses';
import { nodes } from './graph-arithmetic.ts';

/** A network over packed rows; where it has a loss, the gradient in the visual tokens is wanted. */
export interface RowNetwork extends Network {
  /** [B, Nq, D] */
  readonly visual: Tensor;
}

interface Rows {
  readonly graph: Graph;
  /** [B, Nq, D] */
  readonly visual: Tensor;
  /** [L] */
  readonly logProbabilities: Tensor;
}

export interface RowNetworkOptions {
  /** logits at every position, where the labels' would do */
  readonly allLogits?: boolean;
}

/** Adds the model from `visual`, `tokens`, … to the log-probabilities of `labels`. */
function rowLogProbabilities(
  { config, weights: weightsOf }: NetworkModel,
  { allLogits = false }: RowNetworkOptions,
): Rows {
  const { hiddenSize } = config.llama;
  const graph = new Graph();
  const weights = weightsOf(graph);
  const length = `${config.queryTokens}+T`;
  const visual = graph.input('visual', 'float32', ['B', config.queryTokens, hiddenSize]);
  const tokens = graph.input('tokens', 'int64', ['B', 'T']);
  const segments = graph.input('segments', 'int64', ['B', length]);
  const positionIds = graph.input('position_ids', 'int64', ['B', length]);
  const labelPositions = graph.input('label_positions', 'int64', ['L']);
  const labels = graph.input('labels', 'int64', ['L']);
  const embeddings = op.concat([visual, embedTokens(weights, tokens)], 1);
  const inputs = { embeddings, positionIds, mask: attentionBias(segments) };
  const labelled = labelledPositions(labelPositions, graph.shapeVector([length]));
  const positions = allLogits ? 'all' : labelled.first;
  const { hidden } = llama(weights, config.llama, { ...inputs, positions });
  const flat = op.reshape(hidden, [`B*(${hidden.shape[1]!})`, hiddenSize]);
  const logits = allLogits
    ? op.gather(languageModelHead(weights, flat), labelPositions)
    : languageModelHead(weights, op.gather(flat, labelled.positions));
  return { graph, visual, logProbabilities: op.labelLogProbabilities(logits, labels) };
}

/**
 * The last layer computes only from the first labelled position of any row on: that position, int64 [1], and where the
 * labels lie in what remains of rows of `length` (int64 [1]).
 */
function labelledPositions(labelPositions: Tensor, length: Tensor): { first: Tensor; positions: Tensor } {
  const { graph, type, shape } = labelPositions;
  const row = graph.node('Div', [labelPositions, length], { type, shape });
  const inRow = graph.node('Mod', [labelPositions, length], { type, shape });
  const first = graph.node('ReduceMin', [inRow, graph.integers([0])], { type, shape: [1] });
  const rest = op.subtract(length, first);
  return { first, positions: op.add(op.multiply(row, rest), op.subtract(inRow, first)) };
}

/** Output `log_probabilities` [L]. */
export function logProbabilityNetwork(model: NetworkModel, options: RowNetworkOptions = {}): RowNetwork {
  const { graph, visual, logProbabilities } = rowLogProbabilities(model, options);
  return { graph, visual, outputs: { log_probabilities: logProbabilities }, loss: null };
}

/** Input `label_weights` [L]; output `loss` = Σ −weight · log p. */
export function imitationNetwork(model: NetworkModel, options: RowNetworkOptions = {}): RowNetwork {
  const { graph, visual, logProbabilities } = rowLogProbabilities(model, options);
  const labelWeights = graph.input('label_weights', 'float32', ['L']);
  const loss = op.negate(op.reduceSum(op.multiply(logProbabilities, labelWeights), [0]));
  return { graph, visual, outputs: { loss }, loss };
}

/**
 * Inputs `chosen_weights` and `rejected_weights` [P, L] (at the labels of a pair's response 1/n, so that the product with
 * the log-probabilities is their mean, or 1 for their sum), `reference_chosen`, `reference_rejected` and
 * `pair_weights` [P, 1]. Outputs `loss` = Σ weight · loss_i, `chosen` and `rejected` [P, 1] log-probabilities.
 */
export function preferenceNetwork(
  model: NetworkModel,
  options: PreferenceOptions & RowNetworkOptions,
): RowNetwork {
  const { graph, visual, logProbabilities } = rowLogProbabilities(model, options);
  const column = op.reshape(logProbabilities, ['L', 1]);
  const pooled = (name: string) => op.matMul(graph.input(name, 'float32', ['P', 'L']), column);
  const policyChosen = pooled('chosen_weights');
  const policyRejected = pooled('rejected_weights');
  const referenceChosen = graph.input('reference_chosen', 'float32', ['P', 1]);
  const referenceRejected = graph.input('reference_rejected', 'float32', ['P', 1]);
  const pairs = { policyChosen, policyRejected, referenceChosen, referenceRejected };
  const each = preferenceLoss(nodes, pairs, options);
  const loss = op.reduceSum(op.multiply(each, graph.input('pair_weights', 'float32', ['P', 1])), [0, 1]);
  return { graph, visual, outputs: { loss, chosen: policyChosen, rejected: policyRejected }, loss };
}

/** A network as one graph; with a loss there is an output `visual_gradient` [B, Nq, D]. */
export function wholeGraph({ graph, visual, outputs, loss }: RowNetwork): Graph {
  for (const [name, tensor] of Object.entries(outputs)) graph.output(name, tensor);
  if (loss) graph.output('visual_gradient', gradients([loss], [null], [visual])[0]!);
  return graph;
}
