/**
 * The frozen language model as networks over packed rows (`rows.ts`): log-probabilities of the labels, and losses differentiated in the visual tokens. A loss
 * is its formula in graph nodes; its numbers are inputs. Logits are computed at label positions only (or everywhere on request, as in the published code). The
 * last layer skips positions before the first label, and weights receive no gradient.
 */
import {
  adapterGradient,
  adapterInputs,
  attentionBias,
  deepInputs,
  embedTokens,
  languageModelHead,
  isAdapterWeight,
  llama,
  masksOf,
  placed,
  seesPictures,
  type Network,
  type NetworkModel,
  type Weights,
} from '@emac/backbone';
import type { AnswerLoss, Loss, TokenLoss } from '@emac/core';
import { Graph, gradients, nodesWithInputs, op, type Shape, type Tensor } from '@emac/graph';
import { projectionAlone, type Trains } from './policy-parameters.ts';

/** A network over packed rows; if it has a loss, its gradient in the visual tokens is wanted. */
export interface RowNetwork extends Network {
  /** [B, V, D]; null for a model that reads text alone */
  readonly visual: Tensor | null;
  /** if visual tokens stand inside the text: [B, V + T, D], and int64 [B, V], their rows among all positions */
  readonly within: Within | null;
}

interface Within {
  readonly embeddings: Tensor;
  readonly places: Tensor;
}

interface Rows {
  readonly graph: Graph;
  /** [B, V, D] */
  readonly visual: Tensor | null;
  readonly within: Within | null;
  /** [L, V], divided by the labels' temperatures */
  readonly logits: Tensor;
  /** [L] */
  readonly logProbabilities: Tensor;
}

interface LabelledRows {
  readonly graph: Graph;
  readonly weights: Weights;
  readonly visual: Tensor | null;
  readonly within: Within | null;
  /** int64 [L], the ids */
  readonly labels: Tensor;
  /** [L], `labelled` rows of the last layer's output, positions of all rows one after the other */
  readonly positions: Tensor;
  /** [P, D] after the last norm */
  readonly hidden: Tensor;
}

export interface RowNetworkOptions {
  /** logits at every position instead of the labels' only */
  readonly allLogits?: boolean;
  /** a further input `label_coldness` [L] multiplies the logits: 1 over each label's temperature */
  readonly tempered?: boolean;
  /** a further input `label_allowed`, [L, vocabulary], is added to the logits: 0 for each label's possible tokens, else very low */
  readonly restricted?: boolean;
}

/**
 * Builds the model from `visual`, `tokens`, … to the hidden states before the labels; computes all other positions too,
 * or in the last layer as few as possible.
 */
function labelledRows(
  { config, weights: weightsOf, adapter }: NetworkModel,
  { everywhere }: { readonly everywhere: boolean },
): LabelledRows {
  const { hiddenSize, visualTokens, rotarySections } = config.llama;
  const graph = new Graph();
  const weights = weightsOf(graph);
  const visual = seesPictures(config.llama) ? graph.input('visual', 'float32', ['B', 'V', hiddenSize]) : null;
  const length = visual ? 'V+T' : 'T';
  const tokens = graph.input('tokens', 'int64', ['B', 'T']);
  const segments = graph.input('segments', 'int64', ['B', length]);
  const axes = rotarySections ? [rotarySections.length] : [];
  const positionIds = graph.input('position_ids', 'int64', [...axes, 'B', length]);
  const labelPositions = graph.input('label_positions', 'int64', ['L']);
  const labels = graph.input('labels', 'int64', ['L']);
  const isWithin = visualTokens === 'within';
  const places = isWithin ? graph.input('places', 'int64', ['B', length]) : undefined;
  const words = embedTokens(weights, config.llama, tokens);
  const embeddings = placed(visual, words, places);
  const deep = visual
    ? deepInputs(graph, config.llama, { visual: visual.shape, words: words.shape, places })
    : [];
  const within = isWithin ? { embeddings, places: graph.input('visual_places', 'int64', ['B', 'V']) } : null;
  const adapt = adapterInputs(graph, adapter);
  const masks = masksOf(config.llama, positionIds, (window) => attentionBias(segments, window));
  const inputs = { embeddings, positionIds, ...masks, adapt, deep };
  const labelled = labelledPositions(labelPositions, graph.shapeVector([length]));
  const { hidden } = llama(weights, config.llama, {
    ...inputs,
    positions: everywhere ? 'all' : labelled.first,
  });
  return {
    graph,
    weights,
    visual,
    within,
    labels,
    positions: everywhere ? labelPositions : labelled.positions,
    hidden: op.reshape(hidden, [`B*(${hidden.shape[1]!})`, hiddenSize]),
  };
}

/** The same, to the log-probabilities of `labels`. */
function rowLogProbabilities(
  model: NetworkModel,
  { allLogits = false, tempered = false, restricted = false }: RowNetworkOptions,
): Rows {
  const { graph, weights, visual, within, labels, positions, hidden } = labelledRows(model, {
    everywhere: allLogits,
  });
  const raw = allLogits
    ? op.gather(languageModelHead(weights, hidden), positions)
    : languageModelHead(weights, op.gather(hidden, positions));
  const warm = tempered ? op.multiply(raw, coldness(graph)) : raw;
  const logits = restricted
    ? op.add(warm, graph.input('label_allowed', 'float32', ['L', raw.shape[1]!]))
    : warm;
  return { graph, visual, within, logits, logProbabilities: op.labelLogProbabilities(logits, labels) };
}

/** Name of a session, different with and without temperatures and lists. */
export function networkName(name: string, { tempered, restricted }: RowNetworkOptions): string {
  return [name, ...(tempered ? ['tempered'] : []), ...(restricted ? ['restricted'] : [])].join(', ');
}

function coldness(graph: Graph): Tensor {
  return op.reshape(graph.input('label_coldness', 'float32', ['L']), ['L', 1]);
}

/**
 * The last layer computes only from the first labelled position of any row on. Returns that position, int64 [1], and
 * the labels' places in the shortened rows of `length` (int64 [1]).
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
  const { logProbabilities, ...rows } = rowLogProbabilities(model, options);
  return { ...rows, outputs: { log_probabilities: logProbabilities }, loss: null };
}

/** Outputs `log_probabilities` [L] and `entropies` [L] of the labels' distributions, in nats. */
export function distributionNetwork(model: NetworkModel, options: RowNetworkOptions = {}): RowNetwork {
  const { graph, visual, within, logits, logProbabilities } = rowLogProbabilities(model, options);
  const outputs = { log_probabilities: logProbabilities, entropies: entropiesOf(logits) };
  return { graph, visual, within, outputs, loss: null };
}

/** −Σ p log p of each label's distribution: logits [L, V] → [L]. */
function entropiesOf(logits: Tensor): Tensor {
  const all = op.logSoftmax(logits);
  return op.negate(op.reduceSum(op.multiply(op.exp(all), all), [1]));
}

/**
 * Output `states` [L, D]: the hidden states before the labels, after the last norm. With slopes, an input
 * `state_slopes` [L, D], there is also `loss`, Σ slope · state, to differentiate.
 */
export function stateNetwork(model: NetworkModel, { slopes }: { readonly slopes: boolean }): RowNetwork {
  const { graph, visual, within, positions, hidden } = labelledRows(model, { everywhere: false });
  const states = op.gather(hidden, positions);
  if (!slopes) return { graph, visual, within, outputs: { states }, loss: null };
  const given = graph.input('state_slopes', 'float32', ['L', model.config.llama.hiddenSize]);
  const loss = op.reduceSum(op.multiply(states, given), [0, 1]);
  return { graph, visual, within, outputs: { states, loss }, loss };
}

/** Names of a loss network's inputs and outputs that depend on the loss or the rows. */
export const lossNames = {
  /** input [], a number of the formula, in the order of `traceLoss` */
  number: (place: number) => `loss_number_${place}`,
  /** input [L] or [R, 1], a constant from the rows */
  constant: (name: string) => `loss_constant.${name}`,
  /** input [R, L], weights at the labels of a row's answer: 1/n for the mean of log-probabilities, 1 for their sum, or the row's factors */
  pooling: (answer: number) => `answer_pooling_${answer}`,
  /** input [R, L]: 1/n at the labels of a row's answer, if the loss reads entropies */
  entropyPooling: (answer: number) => `answer_entropy_pooling_${answer}`,
  /** output [R, 1], a pooled log-probability */
  answer: (answer: number) => `answer_${answer}`,
} as const;

/**
 * Output `loss` = Σ weight · term. For a loss of tokens: input `label_weights` [L], output `log_probabilities` [L]. For
 * answers of R rows: inputs `row_weights` [R, 1] and a pooling per answer, and each answer's log-probability as an
 * output.
 */
export function lossNetwork(model: NetworkModel, { loss, ...options }: LossNetworkOptions): RowNetwork {
  const rows = rowLogProbabilities(model, options);
  const found = loss.over === 'tokens' ? tokenLoss(loss, rows) : answerLoss(loss, rows);
  const { graph, visual, within } = rows;
  return { graph, visual, within, outputs: found, loss: found.loss };
}

export interface LossNetworkOptions extends RowNetworkOptions {
  readonly loss: Loss;
}

type LossOutputs = Readonly<Record<string, Tensor>> & { readonly loss: Tensor };

function tokenLoss({ formula }: TokenLoss, { graph, logits, logProbabilities }: Rows): LossOutputs {
  const each = formula(nodesWithInputs(graph, lossNames.number), {
    logProbability: logProbabilities,
    get entropy() {
      return entropiesOf(logits);
    },
    constant: constantInputs(graph, ['L']),
  });
  const weights = graph.input('label_weights', 'float32', ['L']);
  return { loss: op.reduceSum(op.multiply(each, weights), [0]), log_probabilities: logProbabilities };
}

function answerLoss(
  { answers, formula }: AnswerLoss,
  { graph, logits, logProbabilities }: Rows,
): LossOutputs {
  const pooledBy = (name: (answer: number) => string, of: Tensor) =>
    Array.from({ length: answers }, (_, answer) =>
      op.matMul(graph.input(name(answer), 'float32', ['R', 'L']), op.reshape(of, ['L', 1])),
    );
  const pooled = pooledBy(lossNames.pooling, logProbabilities);
  const each = formula(nodesWithInputs(graph, lossNames.number), {
    logProbabilities: pooled,
    get entropies() {
      return pooledBy(lossNames.entropyPooling, entropiesOf(logits));
    },
    constant: constantInputs(graph, ['R', 1]),
  });
  const weights = graph.input('row_weights', 'float32', ['R', 1]);
  const named = pooled.map((tensor, answer) => [lossNames.answer(answer), tensor] as const);
  return {
    loss: op.reduceSum(op.multiply(each, weights), [0, 1]),
    ...(Object.fromEntries(named) as Record<string, Tensor>),
  };
}

/** An input for each name, created on first use. */
function constantInputs(graph: Graph, shape: Shape): (name: string) => Tensor {
  return (name) =>
    graph.memo(lossNames.constant(name), () => graph.input(lossNames.constant(name), 'float32', shape));
}

/** A network as one graph; a loss adds outputs for the trained parts' gradients, `visual_gradient` [B, V, D] and `adapterGradient`. */
export function wholeGraph(
  { graph, visual, within, outputs, loss }: RowNetwork,
  trains: Trains = projectionAlone,
): Graph {
  for (const [name, tensor] of Object.entries(outputs)) graph.output(name, tensor);
  if (!loss) return graph;
  const adapters = trains.adapter ? graph.inputs.filter(({ name }) => isAdapterWeight(name)) : [];
  const embedded = trains.projection ? (within?.embeddings ?? visual) : null;
  const found = gradients([loss], [null], [...adapters, ...(embedded ? [embedded] : [])]);
  adapters.forEach(({ name }, place) => graph.output(adapterGradient(name), found[place]!));
  if (embedded) graph.output('visual_gradient', visualRows(found.at(-1)!, within));
  return graph;
}

/** Picks the visual tokens' rows from the gradient in all embeddings: each place inside the text has one token. */
function visualRows(gradient: Tensor, within: Within | null): Tensor {
  if (!within) return gradient;
  const [batch, length, width] = within.embeddings.shape;
  return op.gather(op.reshape(gradient, [`${batch!}*(${length!})`, width!]), within.places);
}
