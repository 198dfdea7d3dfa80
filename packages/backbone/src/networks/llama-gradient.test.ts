import { Random } from '@emac/core';
import { createSession, Graph, gradients, op, type Session, type Value } from '@emac/graph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { attentionBias } from './attention-bias.ts';
import { llama } from './llama.ts';
import { parseModelConfig } from '../files/model-config.ts';
import { randomTensors, smallConfig, type RandomTensor } from '../files/random-model.test.support.ts';
import { embedTokens, languageModelHead } from './tokens.ts';

const { llama: config } = parseModelConfig(smallConfig as never, 'test');
const tensors = new Map(
  [...randomTensors(parseModelConfig(smallConfig as never, 'test'), 'gradient')].filter(([name]) =>
    name.startsWith('language_model.'),
  ),
);
const random = Random.fromSeed('directions');
const [batch, length] = [2, 7];

/** Two rows [visual visual prompt chosen chosen rejected rejected], the second one shorter. */
const integers: Record<string, Value> = {
  ids: rows([5, 9, 1, 7, 3, 7, 8], [5, 9, 1, 2, 4, 0, 0]),
  positions: rows([0, 1, 2, 3, 4, 3, 4], [0, 1, 2, 3, 3, 4, 5]),
  segments: rows([0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 2, -1, -1]),
  labels: rows([9, 1, 7, 3, 2, 8, 2], [9, 1, 2, 2, 2, 0, 0]),
};
/** weight of each position's log-probability: 0 on padding */
const share = Float32Array.from([0.3, -1, 0.7, 1, 1, -1, -0.5, 0.4, 1, -0.6, 1, -1, 0, 0]);

function rows(...values: number[][]): Value {
  return { type: 'int64', shape: [batch, length], data: BigInt64Array.from(values.flat(), BigInt) };
}

function lossGraph(): Graph {
  const graph = new Graph();
  const inputs = new Map(
    [...tensors].map(([name, { shape }]) => [name, graph.input(name, 'float32', shape)]),
  );
  const weights = (name: string) => inputs.get(name)!;
  const integer = (name: string) => graph.input(name, 'int64', [batch, length]);
  const [ids, positionIds, segments, labels] = ['ids', 'positions', 'segments', 'labels'].map(integer);
  const embeddings = embedTokens(weights, config, ids!);
  const { hidden } = llama(weights, config, {
    embeddings,
    positionIds: positionIds!,
    mask: attentionBias(segments!),
  });
  const logits = op.reshape(languageModelHead(weights, hidden), [batch * length, config.vocabulary]);
  const chosen = op.labelLogProbabilities(logits, op.reshape(labels!, [batch * length]));
  const loss = op.reduceSum(op.multiply(chosen, graph.constant(share, [batch * length])), [0]);
  graph.output('loss', loss);
  const names = [...inputs.keys()];
  gradients([loss], [null], [...inputs.values(), embeddings]).forEach((gradient, index) =>
    graph.output(`gradient ${names[index] ?? 'embeddings'}`, gradient),
  );
  return graph;
}

describe('LLaMA as a graph', () => {
  let session: Session;
  beforeAll(async () => {
    session = await createSession(lossGraph());
  });
  afterAll(() => session.dispose());

  const run = (changed: ReadonlyMap<string, RandomTensor>) => {
    const feeds = [...changed].map(
      ([name, { shape, data }]) => [name, { type: 'float32', shape, data }] as const,
    );
    return session.run({ ...integers, ...Object.fromEntries(feeds) });
  };
  const lossOf = async (changed: ReadonlyMap<string, RandomTensor>) =>
    (await run(changed))['loss']!.data[0] as number;

  it('matches finite differences in every weight', async () => {
    const outputs = await run(tensors);
    for (const [name, tensor] of tensors) {
      const direction = tensor.data.map(() => random.normal());
      const norm = Math.hypot(...direction);
      const step = 0.02 / norm;
      const moved = (sign: number) =>
        new Map([
          ...tensors,
          [name, { ...tensor, data: tensor.data.map((x, i) => x + sign * step * direction[i]!) }],
        ]);
      const difference = ((await lossOf(moved(1))) - (await lossOf(moved(-1)))) / (2 * step);
      const gradient = outputs[`gradient ${name}`]!.data as Float32Array;
      const directional = gradient.reduce((sum, g, i) => sum + g * direction[i]!, 0);
      const size = Math.hypot(...gradient) * norm;
      expect(Math.abs(directional - difference) / size, name).toBeLessThan(2e-3);
    }
  });

  it('gives padding no gradient, and all other embeddings one', async () => {
    const gradient = (await run(tensors))['gradient embeddings']!.data as Float32Array;
    const width = config.hiddenSize;
    const touched = Array.from({ length: batch * length }, (_, position) =>
      gradient.subarray(position * width, (position + 1) * width).some((g) => g !== 0),
    );
    expect(touched).toEqual([...Array<boolean>(12).fill(true), false, false]);
  });
});
