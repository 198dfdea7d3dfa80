import { afterEach, describe, expect, it } from 'vitest';
import { Graph } from './graph.ts';
import { gradients } from './gradients.ts';
import * as op from './op/index.ts';
import { gradientSegments, segment, weightProducts } from './segment.ts';
import { createSessions, type Session } from './session.ts';
import type { Feeds, Value } from './session-value.ts';

const open: Session[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((session) => session.dispose()));
});

async function sessions<Name extends string>(graphs: Record<Name, Graph>): Promise<Record<Name, Session>> {
  const opened = await createSessions(graphs, { threads: 1 });
  open.push(...Object.values<Session>(opened));
  return opened;
}

const values = (shape: readonly number[], from: number): Value => {
  const length = shape.reduce((product, size) => product * size, 1);
  const data = Float32Array.from({ length }, (_, index) => Math.sin(from + index));
  return { type: 'float32', shape, data };
};

/** y = W₂·silu(W₁·x + b), and ∂(Σ seed·y)/∂x. */
function network() {
  const graph = new Graph();
  const x = graph.input('x', 'float32', ['N', 3]);
  const seed = graph.input('seed', 'float32', ['N', 2]);
  const first = graph.input('first', 'float32', [4, 3]);
  const bias = graph.input('bias', 'float32', [4]);
  const second = graph.input('second', 'float32', [2, 4]);
  const inner = op.silu(op.linear(x, first, bias));
  const y = op.linear(inner, second);
  const gradient = gradients([y], [seed], [x])[0]!;
  return { graph, x, first, second, inner, y, gradient };
}

const feeds: Feeds = {
  x: values([5, 3], 0),
  seed: values([5, 2], 7),
  first: values([4, 3], 20),
  bias: values([4], 40),
  second: values([2, 4], 50),
};

const only = (graph: Graph, all: Feeds): Feeds =>
  Object.fromEntries(graph.inputs.map(({ name }) => [name, all[name]!]));

async function wholeResults() {
  const { graph, y, gradient } = network();
  graph.output('y', y);
  graph.output('gradient', gradient);
  const { whole } = await sessions({ whole: graph });
  return whole.run(feeds);
}

describe('segment', () => {
  it('cuts a network in two that give the same results as the whole', async () => {
    const { graph, inner, y } = network();
    const head = segment(graph, { inputs: {}, outputs: { inner } });
    const tail = segment(graph, { inputs: { fed: inner }, outputs: { y } });
    expect(head.inputs.map(({ name }) => name).sort()).toEqual(['bias', 'first', 'x']);
    expect(tail.inputs.map(({ name }) => name)).toEqual(['fed', 'second']);
    const parts = await sessions({ head, tail });
    const { kept } = await parts.head.runKeeping(only(head, feeds), ['inner']);
    const found = await parts.tail.run({ fed: kept['inner']!, second: feeds['second']! });
    expect(found['y']!.data).toEqual((await wholeResults())['y']!.data);
  });

  it('rejects values of another graph', () => {
    const { graph } = network();
    expect(() => segment(graph, { inputs: {}, outputs: { y: network().y } })).toThrow(/another graph/);
  });
});

describe('gradientSegments', () => {
  const split = (activations: 'kept' | 'recomputed') => {
    const { graph, x, first, second, y, gradient } = network();
    const isProduct = weightProducts(graph, [first, second]);
    return gradientSegments(graph, {
      inputs: { x },
      outputs: { y },
      gradients: { gradient },
      isKept: activations === 'kept' ? isProduct : () => false,
    });
  };

  it.each(['kept', 'recomputed'] as const)(
    'give the gradient of the whole graph, activations %s',
    async (activations) => {
      const { forward, backward, kept } = split(activations);
      const parts = await sessions({ forward, backward });
      const there = await parts.forward.runKeeping(only(forward, feeds), kept);
      const back = await parts.backward.run(only(backward, { ...feeds, ...there.kept }));
      const expected = await wholeResults();
      expect(there.values['y']!.data).toEqual(expected['y']!.data);
      expect(back['gradient']!.data).toEqual(expected['gradient']!.data);
    },
  );

  it('keep the products with weights that the gradient reads, and nothing else', () => {
    const { forward, backward, kept } = split('kept');
    // the second product is the result; its own gradient does not read it
    expect(kept).toHaveLength(1);
    expect(forward.outputs.get(kept[0]!)!.shape).toEqual(['N', 4]);
    expect(backward.nodes.filter(({ type }) => type === 'FusedMatMul')).toHaveLength(2);
    expect(backward.inputs.map(({ name }) => name)).not.toContain('x');
  });

  it('recompute everything if nothing is kept', () => {
    const { backward, kept } = split('recomputed');
    expect(kept).toEqual([]);
    expect(backward.nodes.filter(({ type }) => type === 'FusedMatMul')).toHaveLength(3);
  });
});
