/**
 * The graphs of a small network: one for acting, with probabilities and values; and one per form of the losses for
 * learning, with both losses and the gradients of all parameters.
 */
import type { AnswerLoss, Arithmetic, Loss, TokenLoss, ValueLoss } from '@emac/core';
import { Graph, gradients, nodesWithInputs, op, type Tensor } from '@emac/graph';
import type { Network, ParameterStart, Part } from './parameters.ts';

export interface NetworkShape {
  /** of one row */
  readonly input: readonly number[];
  readonly network: Network;
}

/** Names of inputs and outputs that depend on a loss or a row. */
export const inputNames = {
  /** input [], a number of a formula, in the order of `traceLoss` */
  number: (of: Part, place: number) => `${of}_number_${place}`,
  /** input [R], the action of an answer in the order of the row's answers */
  label: (answer: number) => `labels_${answer}`,
  /** input [R] */
  constant: (name: string) => `constant.${name}`,
  /** output, of a parameter */
  gradient: (name: string) => `gradient.${name}`,
  /** output [R], as the loss reads an answer */
  read: (answer: number) => `log_probabilities_${answer}`,
} as const;

/** `x` [B, …], `coldness` [B, 1] (1/temperature) → `log_probabilities` [B, A], `values` [B]. */
export function actingGraph(shape: NetworkShape): Graph {
  const graph = new Graph();
  const { logits, values } = networkOf(graph, shape, { policy: true });
  graph.output('log_probabilities', op.logSoftmax(logits!));
  graph.output('values', values);
  return graph;
}

export interface Losses {
  readonly policy: Loss | null;
  readonly value: ValueLoss;
}

/**
 * The same with the label of each answer int64 [R], `policy_weights` and `value_weights` [R] and the losses' constants → `policy_loss`,
 * `value_loss`, log-probabilities of each answer [R], `values` [R] and the gradient of the losses' sum in each parameter that they reach.
 */
export function learningGraph(shape: NetworkShape, { policy, value }: Losses): Graph {
  const graph = new Graph();
  const { logits, values, parameters } = networkOf(graph, shape, { policy: policy !== null });
  const valueEach = value.formula(numbered(graph, 'value'), { value: values, constant: constants(graph) });
  const valueLoss = weighted(graph, 'value_weights', valueEach);
  graph.output('value_loss', valueLoss);
  graph.output('values', values);
  const losses = [valueLoss];
  if (policy && logits) {
    const logProbabilities = Array.from({ length: answersOf(policy) }, (_, answer) =>
      op.labelLogProbabilities(logits, graph.input(inputNames.label(answer), 'int64', ['R'])),
    );
    const said = { logits, logProbabilities };
    const { each, read } = policy.over === 'tokens' ? tokenTerms(policy, said) : answerTerms(policy, said);
    const policyLoss = weighted(graph, 'policy_weights', each);
    graph.output('policy_loss', policyLoss);
    read.forEach((each, answer) => graph.output(inputNames.read(answer), each));
    losses.push(policyLoss);
  }
  const found = gradients(
    losses,
    losses.map(() => null),
    parameters,
  );
  parameters.forEach(({ name }, place) => graph.output(inputNames.gradient(name), found[place]!));
  return graph;
}

/** How many answers of a row a loss reads. */
export function answersOf(loss: Loss): number {
  return loss.over === 'answers' ? loss.answers : 1;
}

interface Said {
  readonly logits: Tensor;
  /** [R], of each answer's action */
  readonly logProbabilities: readonly Tensor[];
}

interface Terms {
  /** [R] */
  readonly each: Tensor;
  /** [R], the log-probability read by the loss, of each answer */
  readonly read: readonly Tensor[];
}

function tokenTerms({ formula }: TokenLoss, { logits, logProbabilities }: Said): Terms {
  const { graph } = logits;
  const each = formula(numbered(graph, 'policy'), {
    logProbability: logProbabilities[0]!,
    get entropy() {
      return entropies(logits);
    },
    constant: constants(graph),
  });
  return { each, read: logProbabilities };
}

/** An answer has one token, the action, so pooling has one element. */
function answerTerms({ formula, pooling }: AnswerLoss, { logits, logProbabilities }: Said): Terms {
  const { graph } = logits;
  const constant = constants(graph);
  const read =
    typeof pooling === 'object'
      ? logProbabilities.map((each) => op.multiply(each, constant(pooling.factors)))
      : logProbabilities;
  const each = formula(numbered(graph, 'policy'), {
    logProbabilities: read,
    // of the row's one distribution
    get entropies() {
      const entropy = entropies(logits);
      return read.map(() => entropy);
    },
    constant,
  });
  return { each, read };
}

/** −Σ p log p: logits [R, A] → [R]. */
function entropies(logits: Tensor): Tensor {
  const all = op.logSoftmax(logits);
  return op.negate(op.reduceSum(op.multiply(op.exp(all), all), [1]));
}

function weighted(graph: Graph, name: string, each: Tensor): Tensor {
  return op.reduceSum(op.multiply(each, graph.input(name, 'float32', ['R'])), [0]);
}

function numbered(graph: Graph, of: Part): Arithmetic<Tensor> {
  return nodesWithInputs(graph, (place) => inputNames.number(of, place));
}

/** An input for each name, created on first use; both losses share them. */
function constants(graph: Graph): (name: string) => Tensor {
  return (name) =>
    graph.memo(inputNames.constant(name), () => graph.input(inputNames.constant(name), 'float32', ['R']));
}

interface Applied {
  /** [R, A], over the temperature; null if the policy is omitted */
  readonly logits: Tensor | null;
  /** [R] */
  readonly values: Tensor;
  /** inputs for the trained parameters, in the network's order */
  readonly parameters: readonly (Tensor & { readonly name: string })[];
}

function networkOf(
  graph: Graph,
  { input, network }: NetworkShape,
  { policy }: { readonly policy: boolean },
): Applied {
  const x = graph.input('x', 'float32', ['R', ...input]);
  const made = new Map<string, Tensor & { readonly name: string }>();
  const parameter = ({ name, shape }: ParameterStart) => {
    const tensor = made.get(name) ?? graph.input(name, 'float32', shape);
    made.set(name, tensor);
    return tensor;
  };
  const { logits: raw, values } = network.apply(x, parameter, { policy });
  const logits = raw && op.multiply(raw, graph.input('coldness', 'float32', ['R', 1]));
  const learn = [...(policy ? network.parameters.policy : []), ...network.parameters.value];
  return {
    logits,
    values: op.reshape(values, ['R']),
    parameters: learn.flatMap(({ name }) => made.get(name) ?? []),
  };
}
