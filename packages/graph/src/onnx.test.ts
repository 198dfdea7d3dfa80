import { describe, expect, it } from 'vitest';
import { createSession, encodeModel, gradients, Graph, op } from './index.ts';
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
  it('contains no nodes and weights that outputs do not depend on', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['B', 2]);
    op.exp(op.add(x, graph.constant(Float32Array.of(1, 2), [2])));
    graph.output('y', op.tanh(x));
    const { node, initializer } = decoded(graph);
    expect(node.map(({ opType }) => opType)).toEqual(['Tanh']);
    expect(initializer).toEqual([]);
  });

  it('gives every output its name, and copies only values with two names or without a node', async () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', [2]);
    const weight = graph.constant(Float32Array.of(5, 6), [2]);
    const y = op.negate(x);
    graph.output('first', y);
    graph.output('second', y);
    graph.output('fed', x);
    graph.output('stored', weight);
    graph.output('further', op.add(y, weight));
    const copies = decoded(graph).node.filter(({ opType }) => opType === 'Identity');
    expect(copies.map(({ input }) => input[0])).toEqual(['first', 'x', weight.name]);
    const session = await createSession(graph, { thread: 'main', threads: 1 });
    const results = await session.run({ x: { type: 'float32', shape: [2], data: Float32Array.of(1, 2) } });
    await session.dispose();
    expect(Object.fromEntries(Object.entries(results).map(([name, { data }]) => [name, [...data]]))).toEqual({
      first: [-1, -2],
      second: [-1, -2],
      fed: [1, 2],
      stored: [5, 6],
      further: [4, 4],
    });
  });

  it('keeps values apart if an output has the name of another value', async () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', [1]);
    const [y, z] = [op.negate(x), op.add(x, x)];
    graph.output(z.name, y);
    graph.output('z', z);
    graph.output('sum', op.add(y, z));
    const session = await createSession(graph, { thread: 'main', threads: 1 });
    const results = await session.run({ x: { type: 'float32', shape: [1], data: Float32Array.of(3) } });
    await session.dispose();
    expect([z.name, 'z', 'sum'].map((name) => results[name]!.data[0])).toEqual([-3, 6, 3]);
  });

  it('drops gradients that nobody requested', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['B', 2]);
    const weight = graph.constant(Float32Array.of(1, 2, 3, 4), [2, 2]);
    const y = op.reduceSum(op.linear(x, weight), [0, 1]);
    graph.output('dx', gradients([y], [null], [x])[0]!);
    // the product of the forward pass and that for the weight are gone; the one for x reads the weight as stored
    const products = decoded(graph).node.filter(
      ({ opType }) => opType.endsWith('MatMul') || opType === 'Gemm',
    );
    expect(products.map(({ input }) => input[1])).toEqual([weight.name]);
  });

  it('stores every weight once, for forward and backward', () => {
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
