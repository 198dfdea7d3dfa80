/**
 * A graph's matrix products alone: the same operators with the same attributes on the same weights, on activations of
 * the same shapes. One element of each product is read, so none is dropped; no two read the same operands, so none is
 * shared.
 */
import { Graph, op, type Node, type Tensor, type Value } from '@emac/graph';

/** A FusedMatMul node with constant shapes. */
export type Product = Node;

/** The products that outputs depend on, including those inside attention nodes; the graph's sizes must be constants. */
export function productsOf(graph: Graph): Product[] {
  return liveNodes(graph)
    .flatMap((node) => (node.type === 'Attention' ? attentionProducts(node) : [node]))
    .filter(({ type }) => type === 'FusedMatMul');
}

function attentionProducts({ inputs, outputs }: Node): Product[] {
  const [query, key, value] = inputs as [Tensor, Tensor, Tensor];
  const [output, , , probabilities] = outputs as [Tensor, Tensor, Tensor, Tensor];
  const common = { type: 'FusedMatMul', domain: 'com.microsoft' } as const;
  return [
    { ...common, inputs: [query, key], outputs: [probabilities], attributes: { transB: 1 } },
    { ...common, inputs: [probabilities, value], outputs: [output], attributes: {} },
  ];
}

/** Floating-point operations: two per multiply-add. */
export function operationsOf(list: readonly Product[]): number {
  return list.reduce((sum, { inputs, outputs, attributes }) => {
    const inner = inputs[0]!.shape.at(attributes['transA'] ? -2 : -1) as number;
    return sum + 2 * inner * countOf(outputs[0]!);
  }, 0);
}

const countOf = ({ shape }: Tensor): number =>
  (shape as readonly number[]).reduce((product, dimension) => product * dimension, 1);

function liveNodes(graph: Graph): Node[] {
  const needed = new Set([...graph.outputs.values()].map(({ name }) => name));
  const live = [...graph.nodes].reverse().filter((node) => {
    if (!node.outputs.some(({ name }) => needed.has(name))) return false;
    for (const input of node.inputs) if (input) needed.add(input.name);
    return true;
  });
  return live.reverse();
}

/** Inputs as `activations` gives them; output `elements`, one of each product. */
export function productsGraph(list: readonly Product[]): Graph {
  const graph = new Graph();
  const operand = operandsOf(graph);
  const elements = list.map(({ type, domain, attributes, inputs, outputs }, index) => {
    const [left, right] = inputs as [Tensor, Tensor];
    // the smaller activation is the product's own; all products with that shape share the larger one
    const isLeftOwn = !left.graph.initializers.has(right.name) && countOf(left) < countOf(right);
    const given = [left, right].map((tensor) => operand(tensor, (tensor === left) === isLeftOwn, index));
    const { shape } = outputs[0]!;
    return firstElement(graph.node(type, given, { type: 'float32', shape }, { domain, attributes }));
  });
  graph.output('elements', op.concat(elements, 0));
  return graph;
}

/** Weights stay in their file; activations become inputs. */
function operandsOf(graph: Graph): (tensor: Tensor, isOwn: boolean, index: number) => Tensor {
  const inputs = new Map<string, Tensor>();
  return ({ name, type, shape, graph: from }, isOwn, index) => {
    const data = from.initializers.get(name)?.data;
    if (data && !ArrayBuffer.isView(data))
      return graph.external(name, type, { shape: shape as readonly number[], ...data });
    const label = isOwn ? `${shape.join('×')} of ${index}` : shape.join('×');
    const input = inputs.get(label) ?? graph.input(label, 'float32', shape);
    inputs.set(label, input);
    return input;
  };
}

/** → [1] */
function firstElement(x: Tensor): Tensor {
  const { graph } = x;
  const axes = x.shape.map((_, axis) => axis);
  const [starts, ends] = [0, 1].map((bound) => graph.integers(axes.map(() => bound)));
  const corner = graph.node('Slice', [x, starts!, ends!, graph.integers(axes)], {
    type: x.type,
    shape: axes.map(() => 1),
  });
  return op.reshape(corner, [1]);
}

/** Numbers between −1 and 1 for every input of a products graph. */
export function activations(graph: Graph): Record<string, Value> {
  return Object.fromEntries(
    graph.inputs.map((input) => {
      const data = Float32Array.from({ length: countOf(input) }, (_, index) => Math.sin(index));
      return [input.name, { type: 'float32', shape: input.shape as readonly number[], data }];
    }),
  );
}

/** Returns its inputs as `held …`, so that they can stay on the session's device. */
export function holdingGraph(like: Graph): Graph {
  const graph = new Graph();
  for (const { name, type, shape } of like.inputs)
    graph.output(`held ${name}`, op.stopGradient(graph.input(name, type, shape)));
  return graph;
}
