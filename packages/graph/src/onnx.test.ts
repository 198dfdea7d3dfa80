import { describe, expect, it } from 'vitest';
import { encodeModel, gradients, Graph, op } from './index.ts';
import { ModelProto } from './onnx-schema.ts';

interface Decoded {
  readonly graph: {
    readonly node: readonly { readonly opType: string; readonly input: readonly string[] }[];
    readonly initializer: readonly { readonly name: string }[];
  };
}

const decoded = (graph: Graph): Decoded['graph'] =>
  (ModelProto.toObject(ModelProto.decode(encodeModel(graph)), { arrays: true }) as Decoded).graph;

describe('an encoded graph', () => {
  it('has no nodes and no weights on which no output depends', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['B', 2]);
    op.exp(op.add(x, graph.constant(Float32Array.of(1, 2), [2])));
    graph.output('y', op.tanh(x));
    const { node, initializer } = decoded(graph);
    expect(node.map(({ opType }) => opType)).toEqual(['Tanh', 'Identity']);
    expect(initializer).toEqual([]);
  });

  it('leaves out the gradients that nobody asked for', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['B', 2]);
    const weight = graph.constant(Float32Array.of(1, 2, 3, 4), [2, 2]);
    const y = op.reduceSum(op.linear(x, weight), [0, 1]);
    graph.output('dx', gradients([y], [null], [x])[0]!);
    // the product of the forward pass and that for the weight are gone; the one for x reads the weight as it lies
    const products = decoded(graph).node.filter(
      ({ opType }) => opType.endsWith('MatMul') || opType === 'Gemm',
    );
    expect(products.map(({ input }) => input[1])).toEqual([weight.name]);
  });

  it('has every weight once, for forward and backward', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['B', 2]);
    const weight = graph.constant(Float32Array.of(1, 2, 3, 4), [2, 2]);
    const y = op.square(op.linear(op.linear(x, weight), weight));
    const loss = op.reduceSum(y, [0, 1]);
    graph.output('loss', loss);
    graph.output('dx', gradients([loss], [null], [x])[0]!);
    const { node, initializer } = decoded(graph);
    expect(initializer.filter(({ name }) => name === weight.name)).toHaveLength(1);
    const readers = node.filter(({ input }) => input.includes(weight.name));
    expect(readers).toHaveLength(4);
  });
});
