import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { createSession, Graph, gradients, op, type Tensor, type Value } from '../index.ts';

const [batch, heads, size] = [2, 2, 3];

/** Attention under an input `bias` [B, 1, S, S]; outputs `y` and the gradients of query, key and value. */
function attentionGraph(attend: typeof op.attention, length: string): Graph {
  const graph = new Graph();
  const names = ['query', 'key', 'value', 'seed'];
  const [query, key, value, seed] = names.map((name) =>
    graph.input(name, 'float32', ['B', heads, length, size]),
  ) as [Tensor, Tensor, Tensor, Tensor];
  const bias = graph.input('bias', 'float32', ['B', 1, length, length]);
  const y = attend({ query, key, value, bias, scale: 0.7 });
  graph.output('y', y);
  gradients([y], [seed], [query, key, value]).forEach((gradient, index) =>
    graph.output(`gradient of ${names[index]}`, gradient),
  );
  return graph;
}

/** Random values; the bias hides all later positions and, differently per row, some others, but never the position itself. */
function feedsOf(length: number): Record<string, Value> {
  const random = Random.fromSeed(`length ${length}`);
  const shape = [batch, heads, length, size];
  const normal = (): Value => ({
    type: 'float32',
    shape,
    data: Float32Array.from({ length: batch * heads * length * size }, () => random.normal()),
  });
  const isHidden = (row: number, column: number) => column > row || (column < row && random.uniform() < 0.3);
  const bias = Float32Array.from({ length: batch * length * length }, (_, index) =>
    isHidden(Math.floor(index / length) % length, index % length) ? -1e30 : 0,
  );
  return {
    query: normal(),
    key: normal(),
    value: normal(),
    seed: normal(),
    bias: { type: 'float32', shape: [batch, 1, length, length], data: bias },
  };
}

describe('attention in halves', () => {
  it.each([
    ['1+S', 2],
    ['S', 1],
  ])('has two parts if the length %s cannot be 1', (symbol, parts) => {
    const { nodes } = attentionGraph(op.causalAttention, symbol);
    // once forward, once backward
    expect(nodes.filter(({ type }) => type === 'Attention')).toHaveLength(2 * parts);
  });

  it.each(['S', '1+S'])('keeps no probabilities for the backward pass, length %s', (symbol) => {
    const { nodes } = attentionGraph(op.causalAttention, symbol);
    const attentions = nodes.filter(({ type }) => type === 'Attention');
    const isRead = attentions.map(({ outputs }) =>
      nodes.some(({ inputs }) => inputs.includes(outputs[3] as Tensor)),
    );
    const half = attentions.length / 2;
    expect(isRead).toEqual(isRead.map((_, place) => place >= half));
  });

  it.each([
    ['S', 1],
    ['S', 5],
    ['1+S', 2],
    ['1+S', 3],
    ['1+S', 8],
    ['1+S', 33],
  ])('gives the numbers and gradients of attention, length %s = %i', async (symbol, length) => {
    const [halves, whole] = await Promise.all(
      [op.causalAttention, op.attention].map(async (attend) => {
        const session = await createSession(attentionGraph(attend, symbol));
        const results = await session.run(feedsOf(length));
        await session.dispose();
        return results;
      }),
    );
    for (const [name, { shape, data }] of Object.entries(whole!)) {
      expect(halves![name]!.shape).toEqual(shape);
      data.forEach((value, index) => expect(halves![name]!.data[index], name).toBeCloseTo(Number(value), 5));
    }
  });
});
