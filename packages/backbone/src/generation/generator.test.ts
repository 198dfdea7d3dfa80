import { Random } from '@emac/core';
import { createSession, Graph, op, type Session, type Tensor } from '@emac/graph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { beamSearch } from './search/beam-search.ts';
import { defaultSearch } from './search/search-options.ts';
import type { DrawnText, GeneratedText } from './search/generated-text.ts';
import { createGenerator } from './create-generator.ts';
import type { GenerationOptions, Generator, SampleOptions } from './generator.ts';
import type { LlamaModel } from './generation-graphs.ts';
import { llama } from '../networks/llama.ts';
import { parseModelConfig } from '../files/model-config.ts';
import { visualFirst } from './prompts/prompt-layout.ts';
import type { Beam, NextLogits, Prompt } from './prompts/prompt-reader.ts';
import { randomTensors, smallConfig } from '../files/random-model.test.support.ts';
import { createSessionExecution } from './session-execution.ts';
import { tokenTrie } from './search/token-trie.ts';
import { embedTokens, languageModelHead } from '../networks/tokens.ts';

const all = parseModelConfig(smallConfig as never, 'test');
const tensors = randomTensors(all, 'generation');
const config = all.llama;
const model: LlamaModel = {
  config,
  weights: (graph: Graph) => (name) =>
    graph.memo(name, () => graph.constant(tensors.get(name)!.data, tensors.get(name)!.shape)),
};

/** For embeddings [1, S, D]: position i sees 0 … i; float32 [1, 1, S, S]. */
function causalBias(embeddings: Tensor): Tensor {
  const { graph } = embeddings;
  const length = embeddings.shape[1]!;
  const index = op.range(embeddings, 1);
  const visible = op.lessOrEqual(op.reshape(index, [1, 1, 1, length]), op.reshape(index, [1, 1, length, 1]));
  return op.where(visible, graph.scalar(0), graph.scalar(-1e9));
}

/** The whole text through the whole network at every step: no cache, no sharing. */
function wholeGraph(visualTokens: number): Graph {
  const graph = new Graph();
  const weights = model.weights(graph);
  const visual = graph.input('visual', 'float32', [visualTokens, config.hiddenSize]);
  const rows = op.concat([visual, embedTokens(weights, config, graph.input('tokens', 'int64', ['L']))], 0);
  const length = rows.shape[0]!;
  const embeddings = op.reshape(rows, [1, length, config.hiddenSize]);
  const positionIds = op.reshape(op.range(rows, 0), [1, length]);
  const { hidden } = llama(weights, config, { embeddings, positionIds, mask: causalBias(embeddings) });
  graph.output('logits', languageModelHead(weights, op.slice(hidden, 1, { start: -1 })));
  return graph;
}

/** Equal tokens, and log-probabilities up to float32 rounding. */
function expectSame(ours: GeneratedText, theirs: GeneratedText): void {
  expect(ours.tokens).toEqual(theirs.tokens);
  expect(ours.logProbabilities).toHaveLength(theirs.logProbabilities.length);
  ours.logProbabilities.forEach((each, place) =>
    expect(each).toBeCloseTo(theirs.logProbabilities[place]!, 4),
  );
}

const generators = (name: string, count: number): Random[] =>
  Array.from({ length: count }, (_, place) => Random.fromSeed(name).stream(place));

describe('generation with a cache', () => {
  const sessions = new Map<number, Session>();
  let generator: Generator;
  beforeAll(async () => {
    for (const visualTokens of [0, 2, 3])
      sessions.set(visualTokens, await createSession(wholeGraph(visualTokens)));
    generator = await createGenerator(model);
  });
  afterAll(async () => {
    await Promise.all([...sessions.values()].map((session) => session.dispose()));
    await generator.dispose();
  });

  const withoutCache = (prompt: Prompt): NextLogits => {
    let texts: number[][] = [[]];
    const visual = prompt.visual!;
    const visualTokens = visual.length / config.hiddenSize;
    const session = sessions.get(visualTokens)!;
    return async (beams) => {
      if (beams.length > 0) texts = beams.map(({ parent, token }) => [...texts[parent]!, token]);
      const rows: Float32Array[] = [];
      for (const text of texts) {
        const tokens = BigInt64Array.from([...prompt.tokens, ...text], BigInt);
        const { logits } = await session.run({
          visual: { type: 'float32', shape: [visualTokens, config.hiddenSize], data: visual },
          tokens: { type: 'int64', shape: [tokens.length], data: tokens },
        });
        rows.push(logits!.data as Float32Array);
      }
      return rows;
    };
  };

  const random = Random.fromSeed('prompts');
  for (const [beams, textLength, visualTokens] of [
    [1, 5, 3],
    [3, 1, 3],
    [4, 9, 3],
    [3, 1, 0],
    [2, 4, 0],
  ] as const)
    it(`gives the same tokens as without a cache: ${beams} beams, ${visualTokens} visual tokens, a text of ${textLength}`, async () => {
      const prompt: Prompt = {
        visual: Float32Array.from({ length: visualTokens * config.hiddenSize }, () => random.normal()),
        tokens: Array.from({ length: textLength }, () => random.integer(config.vocabulary)),
      };
      const options = { beams, maxNewTokens: 9, endTokens: [2], repetitionPenalty: 1.3 };
      const ours = await generator.generate(prompt, options);
      const slow = await beamSearch(
        { next: withoutCache(prompt) },
        {
          ...defaultSearch,
          promptTokens: prompt.tokens,
          ...options,
        },
      );
      expectSame(ours, slow);
      expect(ours.tokens.length).toBeGreaterThan(1);
    });

  it('answers concurrent prompts as it answers them one by one', async () => {
    const prompts = [4, 2].map((length) => ({
      visual: Float32Array.from({ length: 2 * config.hiddenSize }, () => random.normal()),
      tokens: Array.from({ length }, () => random.integer(config.vocabulary)),
    }));
    const options = { beams: 2, maxNewTokens: 6, endTokens: [2] };
    const together = await Promise.all(prompts.map((prompt) => generator.generate(prompt, options)));
    for (const [index, prompt] of prompts.entries())
      expectSame(await generator.generate(prompt, options), together[index]!);
  });

  it('answers a batch of different lengths and settings as it answers them one by one', async () => {
    const requests = [9, 1, 4].map((length, index) => ({
      prompt: {
        visual: Float32Array.from({ length: 3 * config.hiddenSize }, () => random.normal()),
        tokens: Array.from({ length }, () => random.integer(config.vocabulary)),
      },
      options: {
        beams: [3, 1, 4][index]!,
        maxNewTokens: [7, 3, 8][index]!,
        endTokens: [2],
        ...(index === 2 && { repetitionPenalty: 0.8 }),
      },
    }));
    const together = await generator.generateBatch(requests);
    for (const [index, { prompt, options }] of requests.entries())
      expectSame(together[index]!, await generator.generate(prompt, options));
    expect(await generator.generateBatch([])).toEqual([]);
  });

  it('continues with the others after one prompt of the batch has used up all positions', async () => {
    const [long, short] = [59, 4].map((length): Prompt => ({
      visual: Float32Array.from({ length: 2 * config.hiddenSize }, () => random.normal()),
      tokens: Array.from({ length }, () => random.integer(config.vocabulary)),
    })) as [Prompt, Prompt];
    const requests = [
      { prompt: long, options: { maxNewTokens: 3, endTokens: [] } },
      { prompt: short, options: { beams: 2, maxNewTokens: 8, endTokens: [] } },
    ];
    const together = await generator.generateBatch(requests);
    expect(together.map(({ tokens }) => tokens.length)).toEqual([3, 8]);
    for (const [index, { prompt, options }] of requests.entries())
      expectSame(together[index]!, await generator.generate(prompt, options));
  });

  it('scores every beam like the whole network, step by step', async () => {
    const execution = await createSessionExecution(model);
    const prompts = [7, 2].map((length) => ({
      visual: Float32Array.from({ length: 2 * config.hiddenSize }, () => random.normal()),
      tokens: Array.from({ length }, () => random.integer(config.vocabulary)),
    }));
    const readers = execution.readTogether!(prompts);
    const steps: Beam[][] = [
      [],
      [5, 6, 7].map((token) => ({ parent: 0, token })),
      [
        { parent: 2, token: 9 },
        { parent: 0, token: 3 },
      ],
      [1, 1, 0].map((parent, token) => ({ parent, token })),
    ];
    const slow = prompts.map(withoutCache);
    for (const beams of steps) {
      const scores = await Promise.all(readers.map((reader) => reader.next(beams)));
      for (const [index, next] of slow.entries()) {
        const expected = await next(beams);
        expected.forEach((row, beam) =>
          row.forEach((logit, token) => expect(scores[index]![beam]![token]).toBeCloseTo(logit, 4)),
        );
      }
    }
    readers.forEach((reader) => reader.release());
    await execution.dispose();
  });

  const randomPrompt = (length: number): Prompt => ({
    visual: Float32Array.from({ length: 3 * config.hiddenSize }, () => random.normal()),
    tokens: Array.from({ length }, () => random.integer(config.vocabulary)),
  });

  /** For each token of a text: ln of softmax over the logits of the whole network, which reads the whole text. */
  const scoredByTheNetwork = async (
    prompt: Prompt,
    tokens: readonly number[],
    temperature = 1,
  ): Promise<DrawnText> => {
    const [logProbabilities, entropies]: [number[], number[]] = [[], []];
    for (const [place, token] of tokens.entries()) {
      const read = { ...prompt, tokens: [...prompt.tokens, ...tokens.slice(0, place)] };
      const [logits] = await withoutCache(read)([]);
      const weights = Array.from(logits!, (logit) => Math.exp(logit / temperature));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      logProbabilities.push(Math.log(weights[token]! / total));
      entropies.push(-weights.reduce((sum, weight) => sum + (weight / total) * Math.log(weight / total), 0));
    }
    return { tokens, logProbabilities, entropies };
  };

  it("reports each token's log-probability under the whole network, however the token was chosen", async () => {
    const common = { maxNewTokens: 7, endTokens: [2] };
    const allowed = tokenTrie([
      [5, 6, 7, 2],
      [5, 9, 2],
    ]);
    const searches: GenerationOptions[] = [
      common,
      { ...common, repetitionPenalty: 1.4, minNewTokens: 3 },
      { ...common, beams: 3 },
      { ...common, beams: 4, definition: 'lavis', repetitionPenalty: 1.4, minNewTokens: 3 },
      { ...common, beams: 3, allowed },
      { ...common, allowed },
    ];
    const requests = searches.map((options, place) => ({ prompt: randomPrompt(2 + place), options }));
    for (const [place, text] of (await generator.generateBatch(requests)).entries())
      expectSame(text, await scoredByTheNetwork(requests[place]!.prompt, text.tokens));
    const draws: Partial<SampleOptions>[] = [
      { topK: null },
      { topK: null, temperature: 1.8 },
      { topK: 5, temperature: 0.7, topP: 0.8 },
      { allowed },
      { minNewTokens: 4 },
    ];
    const samples = draws.map((settings, place) => ({
      prompt: randomPrompt(7 - place),
      options: { ...common, ...settings, randoms: generators(`draw ${place}`, 3) },
    }));
    for (const [place, texts] of (await generator.sampleBatch(samples)).entries())
      for (const text of texts) {
        const { temperature = 1 } = draws[place]!;
        const scored = await scoredByTheNetwork(samples[place]!.prompt, text.tokens, temperature);
        expectSame(text, scored);
        text.entropies.forEach((entropy, token) => expect(entropy).toBeCloseTo(scored.entropies[token]!, 4));
      }
  });

  it('samples the same texts for each prompt of a batch as alone, in any order of the batch', async () => {
    const requests = [3, 9, 1, 5].map((length, place) => ({
      prompt: randomPrompt(length),
      seed: `request ${place}`,
      settings: { topP: 0.9, maxNewTokens: 4 + place, endTokens: [2] },
    }));
    const request = ({ prompt, seed, settings }: (typeof requests)[number], place: number) => ({
      prompt,
      options: { ...settings, randoms: generators(seed, 1 + place) },
    });
    const alone: DrawnText[][] = [];
    for (const [place, each] of requests.entries()) {
      const { prompt, options } = request(each, place);
      // one by one
      const texts: DrawnText[] = [];
      for (const random of options.randoms)
        texts.push(...(await generator.sample(prompt, { ...options, randoms: [random] })));
      alone.push(texts);
    }
    for (const order of [
      [0, 1, 2, 3],
      [3, 1, 0, 2],
      [2, 0],
    ]) {
      const drawn = await generator.sampleBatch(order.map((place) => request(requests[place]!, place)));
      for (const [rank, place] of order.entries())
        drawn[rank]!.forEach((text, sample) => expectSame(text, alone[place]![sample]!));
      expect(drawn.map(({ length }) => length)).toEqual(order.map((place) => 1 + place));
    }
  });

  it('fails as a whole if one prompt of a batch has no answer, after the others are done', async () => {
    const options = { maxNewTokens: 5, endTokens: [2] };
    const bad = { prompt: randomPrompt(3), options: { ...options, beams: 0 } };
    const good = { prompt: randomPrompt(4), options };
    await expect(generator.generateBatch([good, bad, good])).rejects.toThrow(/beams/);
    expect((await generator.generate(good.prompt, options)).tokens.length).toBeGreaterThan(0);
  });

  it('samples the same texts for the same random generator', async () => {
    const visual = Float32Array.from({ length: 2 * config.hiddenSize }, () => random.normal());
    const draw = (seed: string) => {
      const settings = { randoms: generators(seed, 4), topP: 0.95, maxNewTokens: 6 };
      return generator.sample({ visual, tokens: [5, 6] }, { ...settings, endTokens: [2] });
    };
    const texts = await draw('a');
    expect(texts).toHaveLength(4);
    expect(new Set(texts.map(({ tokens }) => String(tokens))).size).toBeGreaterThan(1);
    expect(await draw('a')).toEqual(texts);
  });

  it('works after a generation that failed half way', async () => {
    const visual = Float32Array.from({ length: 2 * config.hiddenSize }, () => random.normal());
    const options = { maxNewTokens: 6, endTokens: [2] };
    const expected = await generator.generate({ visual, tokens: [5, 6] }, options);
    // a token id beyond the vocabulary has no embedding
    const beyond = { visual, tokens: [config.vocabulary] };
    await expect(generator.generate(beyond, options)).rejects.toMatchObject({ code: 'internal' });
    expect(await generator.generate({ visual, tokens: [5, 6] }, options)).toEqual(expected);
  });

  it('rejects scores that are not numbers', async () => {
    const visual = new Float32Array(2 * config.hiddenSize).fill(NaN);
    const prompt = { visual, tokens: [5, 6] };
    const options = { maxNewTokens: 3, endTokens: [2] };
    const refusal = /no token has a finite score/;
    for (const more of [
      {},
      { beams: 3 },
      { beams: 3, definition: 'lavis' },
      { repetitionPenalty: 2 },
    ] as const)
      await expect(generator.generate(prompt, { ...options, ...more })).rejects.toThrow(refusal);
    const randoms = generators('drawn', 1);
    for (const topK of [null, 5])
      await expect(generator.sample(prompt, { ...options, topK, randoms })).rejects.toThrow(refusal);
  });

  it.each([1, 3, 0])('rejects %i visual tokens with a layout made for 2', async (count) => {
    const visual = new Float32Array(count * config.hiddenSize);
    const prompt = { visual, tokens: [5, 6], layout: visualFirst(2, 2) };
    await expect(generator.generate(prompt, { maxNewTokens: 2, endTokens: [2] })).rejects.toMatchObject({
      code: 'usage',
      message: `generate: the layout must have one place for each token, got 4 places for ${count} visual tokens and 2 of text; give the visual tokens of the layout's pictures`,
    });
  });

  it('rejects a prompt that leaves no room for the answer', async () => {
    const prompt = { visual: new Float32Array(3 * config.hiddenSize), tokens: Array<number>(60).fill(1) };
    await expect(generator.generate(prompt, { maxNewTokens: 2, endTokens: [2] })).rejects.toThrow(
      /must fit 64 positions, got 65/,
    );
  });
});
