import { Random } from '@emac/core';
import { createSessions, type Graph } from '@emac/graph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { parseModelConfig } from '../files/model-config.ts';
import { randomTensors, smallConfig } from '../files/random-model.test.support.ts';
import type { GeneratedText } from './search/generated-text.ts';
import { decodeGraph, prefillGraph, type LlamaModel } from './generation-graphs.ts';
import { generatorOf, type GenerationRequest, type Generator } from './generator.ts';
import { sessionExecution } from './session-execution.ts';
import { tokenTrie } from './search/token-trie.ts';

const all = parseModelConfig(smallConfig as never, 'test');
const tensors = randomTensors(all, 'batches');
const config = all.llama;
const model: LlamaModel = {
  config,
  weights: (graph: Graph) => (name) =>
    graph.memo(name, () => graph.constant(tensors.get(name)!.data, tensors.get(name)!.shape)),
};

/** Prompts of any lengths from 1 to 40 tokens, with all kinds of settings. */
function randomRequests(random: Random, count: number): GenerationRequest[] {
  const allowed = tokenTrie([
    [5, 6, 7, 2],
    [5, 9, 2],
    [11, 2],
  ]);
  return Array.from({ length: count }, () => ({
    prompt: {
      visual: Float32Array.from({ length: 3 * config.hiddenSize }, () => random.normal()),
      tokens: Array.from({ length: 1 + random.integer(40) }, () => random.integer(config.vocabulary)),
    },
    options: {
      beams: random.pick([1, 1, 2, 5]),
      maxNewTokens: 4 + random.integer(6),
      endTokens: [2],
      repetitionPenalty: random.pick([1, 1, 1.3]),
      minNewTokens: random.integer(3) === 0 ? 2 : 0,
      allowed: random.integer(4) === 0 ? allowed.filter((text) => text.length > 2) : null,
    },
  }));
}

/** Equal tokens, and log-probabilities up to float32 rounding. */
function expectSame(ours: GeneratedText, theirs: GeneratedText): void {
  expect(ours.tokens).toEqual(theirs.tokens);
  ours.logProbabilities.forEach((each, place) =>
    expect(each).toBeCloseTo(theirs.logProbabilities[place]!, 4),
  );
}

// cost of one more run, in positions: groups of nearly equal lengths, a few groups, one group
describe.each([1, 12, Infinity])(
  'batches of random prompts, one more run costing %s positions',
  (runCost) => {
    let generator: Generator;
    beforeAll(async () => {
      const graphs = {
        prefill: prefillGraph(model, { ranked: true }),
        decode: decodeGraph(model, { ranked: true }),
      };
      const sessions = await createSessions(graphs, { threads: 1 });
      generator = generatorOf(config, sessionExecution({ config, ranked: true, runCost, ...sessions }));
    });
    afterAll(() => generator.dispose());

    it('have the same answers as single prompts, whatever their size and order', async () => {
      const random = Random.fromSeed(`batches ${runCost}`);
      for (let count = 2; count <= 8; count++) {
        const requests = randomRequests(random, count);
        const alone: GeneratedText[] = [];
        for (const { prompt, options } of requests) alone.push(await generator.generate(prompt, options));
        for (let shuffles = 0; shuffles < 3; shuffles++) {
          const order = random.shuffle(requests.map((_, place) => place));
          const together = await generator.generateBatch(order.map((place) => requests[place]!));
          order.forEach((place, rank) => expectSame(together[rank]!, alone[place]!));
        }
      }
    });

    it('have the same answers when several batches run at once', async () => {
      const requests = randomRequests(Random.fromSeed(`at once ${runCost}`), 6);
      const alone: GeneratedText[] = [];
      for (const { prompt, options } of requests) alone.push(await generator.generate(prompt, options));
      const halves = await Promise.all([
        generator.generateBatch(requests.slice(0, 3)),
        generator.generateBatch(requests.slice(3)),
      ]);
      halves.flat().forEach((text, place) => expectSame(text, alone[place]!));
    });
  },
);
