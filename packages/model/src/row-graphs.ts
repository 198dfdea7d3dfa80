/**
 * The frozen language model as networks over packed rows (`rows.ts`): log-probabilities of the labels, and losses to
 * be differentiated in the visual tokens. Logits are computed at label positions only, and no weight receives a gradient.
 */
import {
  attentionBias,
  embedTokens,
  languageModelHead,
  llama,
  type Network,
  type NetworkModel,
} from '@emac/backbone';
import { Graph, gradients, op, type Tensor } from '@emac/graph';
import { dpo, withMixRatio, type DpoOptions } from '@emac/losses';
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

/** Adds the model from `visual`, `tokens`, … to the log-probabilities of `labels`. */
function rowLogProbabilities({ config, weights: weightsOf }: NetworkModel): Rows {
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
  const { hidden } = llama(weights, config.llama, { embeddings, positionIds, mask: attentionBias(segments) });
  const flat = op.reshape(hidden, [`B*(${length})`, hiddenSize]);
  const logits = languageModelHead(weights, op.gather(flat, labelPositions));
  return { graph, visual, logProbabilities: op.labelLogProbabilities(logits, labels) };
}

/** Output `log_probabilities` [L]. */
export function logProbabilityNetwork(model: NetworkModel): RowNetwork {
  const { graph, visual, logProbabilities } = rowLogProbabilities(model);
  return { graph, visual, outputs: { log_probabilities: logProbabilities }, loss: null };
}

/** Input `label_weights` [L]; output `loss` = Σ −weight · log p. */
export function imitationNetwork(model: NetworkModel): RowNetwork {
  const { graph, visual, logProbabilities } = rowLogProbabilities(model);
  const labelWeights = graph.input('label_weights', 'float32', ['L']);
  const loss = op.negate(op.reduceSum(op.multiply(logProbabilities, labelWeights), [0]));
  return { graph, visual, outputs: { loss }, loss };
}

/**
 * Inputs `chosen_means` and `rejected_means` [B, L] (1/n at a response's labels, so that the product with the
 * log-probabilities is their mean), `reference_chosen`, `reference_rejected` and `pair_weights` [B, 1].
 * Outputs `loss` = Σ weight · loss_i, `chosen` and `rejected` [B, 1] mean token log-probabilities.
 */
export function preferenceNetwork(
  model: NetworkModel,
  options: DpoOptions & { readonly mixRatio: number },
): RowNetwork {
  const { graph, visual, logProbabilities } = rowLogProbabilities(model);
  const column = op.reshape(logProbabilities, ['L', 1]);
  const mean = (name: string) => op.matMul(graph.input(name, 'float32', ['B', 'L']), column);
  const policyChosen = mean('chosen_means');
  const policyRejected = mean('rejected_means');
  const referenceChosen = graph.input('reference_chosen', 'float32', ['B', 1]);
  const referenceRejected = graph.input('reference_rejected', 'float32', ['B', 1]);
  const preference = dpo(
    nodes,
    { policyChosen, policyRejected, referenceChosen, referenceRejected },
    options,
  );
  const each = withMixRatio(nodes, preference, { policyChosen, mixRatio: options.mixRatio });
  const loss = op.reduceSum(op.multiply(each, graph.input('pair_weights', 'float32', ['B', 1])), [0, 1]);
  return { graph, visual, outputs: { loss, chosen: policyChosen, rejected: policyRejected }, loss };
}

/** A network as one graph; with a loss there is an output `visual_gradient` [B, Nq, D]. */
export function wholeGraph({ graph, visual, outputs, loss }: RowNetwork): Graph {
  for (const [name, tensor] of Object.entries(outputs)) graph.output(name, tensor);
  if (loss) graph.output('visual_gradient', gradients([loss], [null], [visual])[0]!);
  return graph;
}
