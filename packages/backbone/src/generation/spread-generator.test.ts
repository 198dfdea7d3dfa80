import { EmacError } from '@emac/core';
import type { Graph } from '@emac/graph';
import { describe, expect, it } from 'vitest';

import { parseModelConfig } from '../files/model-config.ts';
import { randomTensors, smallConfig } from '../files/random-model.test.support.ts';
import type { GeneratedText } from './search/generated-text.ts';
import { createGenerator } from './create-generator.ts';
import type { GenerationRequest, Generator } from './generator.ts';
import { spreadGenerator } from './spread-generator.ts';

const request = (length: number): GenerationRequest => ({
  prompt: { visual: new Float32Array(), tokens: Array<number>(length).fill(length) },
  options: { endTokens: [2], maxNewTokens: 1 },
});

interface Asked {
  readonly by: string;
  readonly lengths: readonly number[];
  readonly answer: () => void;
  readonly fail: (error: Error) => void;
}

/** Two lanes and one for single prompts; each answer is the prompt's first token, released on demand. */
function setUp(open: (lane: number) => void = () => {}) {
  const asked: Asked[] = [];
  const disposed: string[] = [];
  const generator = (by: string): Generator => {
    const generateBatch: Generator['generateBatch'] = (requests) =>
      new Promise((resolve, reject) => {
        const first = requests.map(({ prompt }) => prompt.tokens[0]!);
        const answer = () => resolve(first.map((token) => ({ tokens: [token], logProbabilities: [0] })));
        asked.push({ by, lengths: first, answer, fail: reject });
      });
    const none = () => Promise.reject(new Error('nobody asks for this'));
    const dispose = () => Promise.resolve(void disposed.push(by));
    return { generateBatch, generate: none, sample: none, sampleBatch: none, dispose };
  };
  const spread = spreadGenerator({
    alone: generator('alone'),
    lanes: 2,
    open: async (lane) => {
      open(lane);
      return generator(`lane ${lane}`);
    },
  });
  const ask = (...lengths: number[]) => spread.generateBatch(lengths.map(request));
  return { spread, ask, asked, disposed };
}

/** Lets all pending calls proceed as far as they can. */
const settle = () => new Promise((resolve) => setImmediate(resolve));
const who = (asked: readonly Asked[]) => asked.map(({ by, lengths }) => [by, lengths]);

describe('a spread generator', () => {
  it('answers one prompt alone, and opens no lane for it', async () => {
    const opened: number[] = [];
    const { spread, asked } = setUp((lane) => opened.push(lane));
    const { prompt, options } = request(3);
    const answer = spread.generate(prompt, options);
    await settle();
    expect(who(asked)).toEqual([['alone', [3]]]);
    asked[0]!.answer();
    expect((await answer).tokens).toEqual([3]);
    expect(opened).toEqual([]);
    expect(await spread.generateBatch([])).toEqual([]);
  });

  it('splits prompts by length into nearly equal sums, and answers in the order of the requests', async () => {
    const { ask, asked } = setUp();
    // sorted 1 1 1 1 2 2 3 11: half of 22 is reached within 11
    const answers = ask(11, 1, 1, 2, 2, 3, 1, 1);
    await settle();
    expect(who(asked)).toEqual([
      ['lane 0', [1, 1, 1, 1, 2, 2, 3]],
      ['lane 1', [11]],
    ]);
    asked.toReversed().forEach(({ answer }) => answer());
    expect((await answers).map(({ tokens }) => tokens[0])).toEqual([11, 1, 1, 2, 2, 3, 1, 1]);
  });

  it('splits two and three prompts one by one, does not split four to seven, and splits more', async () => {
    const sizes = async (count: number) => {
      const { ask, asked } = setUp();
      const answers = ask(...Array<number>(count).fill(5));
      await settle();
      asked.forEach(({ answer }) => answer());
      expect(await answers).toHaveLength(count);
      return asked.map(({ lengths }) => lengths.length);
    };
    expect(await Promise.all([2, 3, 4, 7, 8, 12].map(sizes))).toEqual([
      [1, 1],
      [1, 2],
      [4],
      [7],
      [4, 4],
      [6, 6],
    ]);
  });

  it('gives each part to the lane with the fewest prompts under way, without changing a part', async () => {
    const { ask, asked } = setUp();
    const one = ask(9);
    const four = ask(5, 5, 5, 5);
    await settle();
    // `alone` runs in the thread of lane 0
    expect(who(asked)).toEqual([
      ['alone', [9]],
      ['lane 1', [5, 5, 5, 5]],
    ]);
    const five = ask(6, 6, 6, 6, 6);
    await settle();
    expect(who(asked.slice(2))).toEqual([['lane 0', [6, 6, 6, 6, 6]]]);
    asked[1]!.answer();
    await settle();
    const next = ask(7, 7, 7, 7);
    await settle();
    expect(who(asked.slice(3))).toEqual([['lane 1', [7, 7, 7, 7]]]);
    asked.forEach(({ answer }) => answer());
    expect([await one, await four, await five, await next].map(({ length }) => length)).toEqual([1, 4, 5, 4]);
  });

  it('throws the error of one lane after the others are done, and keeps working', async () => {
    const { ask, asked } = setUp();
    let isOver = false;
    const answers = ask(1, 1).finally(() => (isOver = true));
    answers.catch(() => undefined);
    await settle();
    asked[0]!.fail(new EmacError('internal', 'broken'));
    await settle();
    expect(isOver).toBe(false);
    asked[1]!.answer();
    await expect(answers).rejects.toThrow('broken');
    const again = ask(8);
    await settle();
    expect(who(asked.slice(2))).toEqual([['alone', [8]]]);
    asked[2]!.answer();
    expect(await again).toHaveLength(1);
  });

  it('retries a lane that failed to open, and disposes of all open ones', async () => {
    let attempts = 0;
    const { spread, ask, asked, disposed } = setUp((lane) => {
      if (lane === 1 && attempts++ === 0) throw new EmacError('unavailable', 'no memory');
    });
    const refused = ask(1, 1);
    refused.catch(() => undefined);
    await settle();
    asked[0]!.answer();
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' });
    const answers = ask(2, 2);
    await settle();
    asked.slice(1).forEach(({ answer }) => answer());
    expect(await answers).toHaveLength(2);
    await spread.dispose();
    expect(disposed.toSorted()).toEqual(['alone', 'lane 0', 'lane 1']);
  });
});

describe('a small model on several threads', () => {
  it('gives the same answers as on one thread, one at a time or several batches at once', async () => {
    const all = parseModelConfig(smallConfig as never, 'test');
    const tensors = randomTensors(all, 'spread');
    const weights = (graph: Graph) => (name: string) =>
      graph.memo(name, () => graph.constant(tensors.get(name)!.data, tensors.get(name)!.shape));
    const model = { config: all.llama, weights };
    const one = await createGenerator(model, { threads: 1 });
    const several = await createGenerator(model, { threads: 3 });
    const requests = Array.from({ length: 9 }, (_, number): GenerationRequest => {
      const visual = Float32Array.from({ length: 3 * all.llama.hiddenSize }, (__, i) =>
        Math.sin(i * (number + 1)),
      );
      const tokens = Array.from(
        { length: 3 + ((number * 5) % 11) },
        (__, i) => (7 * i + number) % all.llama.vocabulary,
      );
      return {
        prompt: { visual, tokens },
        options: { beams: 1 + (number % 3), maxNewTokens: 6, endTokens: [2] },
      };
    });
    const expected: GeneratedText[] = [];
    for (const { prompt, options } of requests) expected.push(await one.generate(prompt, options));
    const batches = await Promise.all([
      several.generateBatch(requests.slice(0, 5)),
      several.generateBatch(requests.slice(5, 8)),
      several.generateBatch(requests.slice(8)),
    ]);
    const single = await several.generate(requests[0]!.prompt, requests[0]!.options);
    [...batches.flat(), single].forEach(({ tokens, logProbabilities }, number) => {
      const wanted = expected[number % requests.length]!;
      expect(tokens).toEqual(wanted.tokens);
      logProbabilities.forEach((each, place) =>
        expect(Math.abs(each - wanted.logProbabilities[place]!)).toBeLessThan(1e-5),
      );
    });
    await Promise.all([one.dispose(), several.dispose()]);
  });
});
