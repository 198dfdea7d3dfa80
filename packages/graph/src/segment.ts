/**
 * Splits a graph into parts that run one after the other: each part is a graph, and outputs of one are inputs of the
 * next. A differentiated network becomes a forward and a backward part, with a choice of values kept between them
 * (Griewank & Walther 2000; Chen et al., arXiv 1604.06174).
 */
import { EmacError } from '@emac/core';
import { Graph, type Node, type Tensor } from './graph.ts';

export interface Boundary {
  /** values of the whole graph that become the part's inputs, by their new names */
  readonly inputs: Readonly<Record<string, Tensor>>;
  readonly outputs: Readonly<Record<string, Tensor>>;
}

/**
 * The nodes between `inputs` and `outputs` as a graph. It also keeps the whole graph's inputs that these nodes read,
 * but no unread ones.
 */
export function segment(graph: Graph, { inputs, outputs }: Boundary): Graph {
  const part = new Graph();
  const ends = Object.values(outputs);
  const stops = new Set(Object.values(inputs).map(({ name }) => name));
  const nodes = nodesBefore(graph, { ends, stops });
  const read = new Set([...ends, ...nodes.flatMap(inputsOf)].map(({ name }) => name));
  const fed = new Map<string, Tensor>();
  for (const [name, { name: inside, type, shape }] of Object.entries(inputs))
    if (read.has(inside)) fed.set(inside, part.input(name, type, shape));
  for (const input of graph.inputs)
    if (read.has(input.name) && !fed.has(input.name))
      fed.set(input.name, part.input(input.name, input.type, input.shape));
  for (const [name, initializer] of graph.initializers)
    if (read.has(name) && !fed.has(name)) part.initializers.set(name, initializer);
  const named = outputsByNode(nodes, outputs);
  const renamed = (tensor: Tensor) => fed.get(tensor.name) ?? named.get(tensor.name) ?? tensor;
  for (const node of nodes)
    part.nodes.push({
      ...node,
      inputs: node.inputs.map((input) => input && renamed(input)),
      outputs: node.outputs.map(renamed),
    });
  for (const [name, tensor] of Object.entries(outputs)) part.output(name, renamed(tensor));
  return part;
}

/** Outputs computed by nodes, under the outputs' names: they need no copy. */
function outputsByNode(nodes: readonly Node[], outputs: Boundary['outputs']): Map<string, Tensor> {
  const computed = new Set(nodes.flatMap((node) => node.outputs.map(({ name }) => name)));
  const named = new Map<string, Tensor>();
  for (const [name, tensor] of Object.entries(outputs))
    if (computed.has(tensor.name) && !named.has(tensor.name)) named.set(tensor.name, { ...tensor, name });
  return named;
}

export interface Differentiated {
  /** start of both parts, as `Boundary`'s */
  readonly inputs: Boundary['inputs'];
  /** results of the forward part */
  readonly outputs: Readonly<Record<string, Tensor>>;
  /** results of the backward part */
  readonly gradients: Readonly<Record<string, Tensor>>;
  /** nodes of the forward part whose results are kept for the backward part; it recomputes all others */
  readonly isKept: (node: Node) => boolean;
}

export interface GradientSegments {
  readonly forward: Graph;
  /** reads the kept values, the seeds, and the inputs it still needs */
  readonly backward: Graph;
  /** outputs of `forward` that are inputs of `backward`, under the same names */
  readonly kept: readonly string[];
}

/** The forward and the backward part of a graph. */
export function gradientSegments(
  graph: Graph,
  { inputs, outputs, gradients, isKept }: Differentiated,
): GradientSegments {
  const fed = Object.values(inputs).map(({ name }) => name);
  const forward = nodesBefore(graph, { ends: Object.values(outputs), stops: new Set(fed) });
  const kept = new Map<string, Tensor>();
  const keepable = new Set(forward.filter(isKept).flatMap((node) => node.outputs.map(({ name }) => name)));
  const ends = Object.values(gradients);
  const backward = nodesBefore(graph, { ends, stops: new Set([...fed, ...keepable]) });
  for (const tensor of backward.flatMap(inputsOf))
    if (keepable.has(tensor.name)) kept.set(tensor.name, tensor);
  const named = Object.fromEntries([...kept.values()].map((tensor, index) => [`kept_${index}`, tensor]));
  return {
    forward: segment(graph, { inputs, outputs: { ...outputs, ...named } }),
    backward: segment(graph, { inputs: { ...inputs, ...named }, outputs: gradients }),
    kept: Object.keys(named),
  };
}

const products: ReadonlySet<string> = new Set([
  'FusedMatMul',
  'MatMul',
  'Gemm',
  'DynamicQuantizeMatMul',
  'MatMulNBits',
]);

/**
 * Selects products of values with weights: most of a network's work and little of its memory. Weights are initializers,
 * the named inputs, and values computed from those alone.
 */
export function weightProducts(graph: Graph, inputs: Iterable<Tensor> = []): (node: Node) => boolean {
  const weights = new Set([...graph.initializers.keys(), ...[...inputs].map(({ name }) => name)]);
  for (const node of graph.nodes)
    if (inputsOf(node).every(({ name }) => weights.has(name)))
      for (const { name } of node.outputs) weights.add(name);
  return (node) => {
    const [value, weight] = node.inputs;
    return products.has(node.type) && !weights.has(value!.name) && weights.has(weight!.name);
  };
}

/** Nodes that `ends` depend on, in order, without those that only compute a value of `stops`. */
function nodesBefore(
  graph: Graph,
  { ends, stops }: { ends: readonly Tensor[]; stops: ReadonlySet<string> },
): Node[] {
  const needed = new Set<string>();
  const need = ({ name }: Tensor) => stops.has(name) || needed.add(name);
  for (const end of ends) {
    if (end.graph !== graph)
      throw new EmacError('internal', `segment: "${end.name}" belongs to another graph`);
    need(end);
  }
  const found: Node[] = [];
  for (let index = graph.nodes.length - 1; index >= 0; index--) {
    const node = graph.nodes[index]!;
    if (!node.outputs.some(({ name }) => needed.has(name))) continue;
    found.push(node);
    inputsOf(node).forEach(need);
  }
  return found.reverse();
}

function inputsOf(node: Node): Tensor[] {
  return node.inputs.filter((input) => input !== null);
}
