import { Random } from '@emac/core';
import { createSessions, type Graph } from '@emac/graph';
import { isLong } from '@emac/testing';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';

import { parseModelConfig, type LlamaConfig } from '../../files/model-config.ts';
import { randomTensors, smallConfig } from '../../files/random-model.test.support.ts';
import type { AdapterForm } from '../../networks/adapter.ts';
import { adaptedModules, projectionWidths, type AdapterValues } from '../../networks/adapter-feeds.ts';
import { contextMemory, type ContextMemory } from './context-memory.ts';
import type { GeneratedText } from '../search/generated-text.ts';
import { decodeGraph, pieceGraph, type LlamaModel } from '../generation-graphs.ts';
import { generatorOf, type GenerationRequest, type Generator } from '../generator.ts';
import { joinGraph } from '../joined-states.ts';
import { picturesWithin, type PromptLayout } from './prompt-layout.ts';
import type { Prompt } from './prompt-reader.ts';
import { createSessionExecution, openHeldAdapters, sessionExecution } from '../session-execution.ts';

const all = parseModelConfig(smallConfig as never, 'test');
const tensors = randomTensors(all, 'context');
const form: AdapterForm = { targets: ['q_proj', 'down_proj'], dropout: false };
const modelOf = (config: LlamaConfig): LlamaModel => ({
  config,
  weights: (graph: Graph) => (name) =>
    graph.memo(name, () => graph.constant(tensors.get(name)!.data, tensors.get(name)!.shape)),
  adapter: form,
});

/** Two keys and values, 2 heads of width 6 in float32, in each of 2 layers: 192 bytes a place. */
const bytesOfPlace = 2 * 2 * 2 * 6 * 4;
const pieceLength = 4;

const { llama } = all;
const configs = {
  'visual tokens before the text': llama,
  'text alone': { ...llama, visualTokens: 'none' },
  'a window of 7 positions': { ...llama, slidingWindow: 7 },
  'pictures within the text, positions on three axes': {
    ...llama,
    visualTokens: 'within',
    rotarySections: [1, 1, 1],
  },
} as const satisfies Record<string, LlamaConfig>;

interface Opened {
  readonly generator: Generator;
  readonly memory: ContextMemory;
  /** places read so far, by all runs */
  readonly read: () => number;
}

/** A generator that reads in pieces of four places, and counts the places that it reads. */
async function opened(config: LlamaConfig, limit: number): Promise<Opened> {
  const model = modelOf(config);
  const memory = contextMemory({ limit, pieceLength });
  const graphs = {
    prefill: pieceGraph(model, { ranked: true }),
    decode: decodeGraph(model, { ranked: true }),
    join: joinGraph(config),
  };
  const { prefill, decode, join } = await createSessions(graphs, { threads: 1 });
  let places = 0;
  const counted: typeof prefill = {
    ...prefill,
    runKeeping: (feeds, keep, skip) => {
      places += feeds['positions']!.shape.at(-1)!;
      return prefill.runKeeping(feeds, keep, skip);
    },
  };
  const adapters = await openHeldAdapters({ config, form }, { threads: 1, beside: prefill });
  const pieces = { memory, join };
  const execution = sessionExecution({
    config,
    ranked: true,
    runCost: Infinity,
    adapters,
    pieces,
    prefill: counted,
    decode,
  });
  const generator = generatorOf(config, execution);
  onTestFinished(() => generator.dispose());
  return { generator, memory, read: () => places };
}

/** A generator that reads every prompt whole. */
async function withoutMemory(config: LlamaConfig): Promise<Generator> {
  const execution = await createSessionExecution(modelOf(config), { threads: 1 });
  const generator = generatorOf(config, execution);
  onTestFinished(() => generator.dispose());
  return generator;
}

const adapterOf = (seed: string): AdapterValues => {
  const random = Random.fromSeed(seed);
  const drawn = (shape: readonly number[]) => {
    const length = shape.reduce((product, size) => product * size);
    return { shape, data: Float32Array.from({ length }, () => 0.3 * random.normal()) };
  };
  const parameters = adaptedModules(llama.layers, form).flatMap((module) => {
    const { inWidth, outWidth } = projectionWidths(llama, module);
    return [
      [`${module}.lora_A.weight`, drawn([1, inWidth])],
      [`${module}.lora_B.weight`, drawn([outWidth, 1])],
    ] as const;
  });
  return { parameters: new Map(parameters), scale: 1 };
};
const adapters = [null, adapterOf('one'), adapterOf('two')];

const pictures = ['a', 'b'].map((seed) => {
  const random = Random.fromSeed(seed);
  return Float32Array.from({ length: 3 * llama.hiddenSize }, () => random.normal());
});

/** One step of one of two episodes. */
interface Step {
  readonly episode: number;
  readonly added: readonly number[];
  /** tokens lost at the beginning */
  readonly cut: number;
  readonly picture: number;
  readonly adapter: number;
  readonly beams: number;
  /** asked together with the step before */
  readonly isBeside: boolean;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    episode: fc.nat(1),
    added: fc.array(fc.nat(40), { minLength: 1, maxLength: 9 }),
    cut: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(6) }),
    picture: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
    adapter: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(2) }),
    beams: fc.constantFrom(1, 1, 3),
    isBeside: fc.boolean(),
  }),
  { minLength: 2, maxLength: 9 },
);

/** The calls of a sequence of steps, each with its requests; both episodes begin with the same three tokens. */
function callsOf(given: readonly Step[], config: LlamaConfig): GenerationRequest[][] {
  const texts = [
    [1, 7, 9],
    [1, 7, 9],
  ];
  const calls: GenerationRequest[][] = [];
  for (const { episode, added, cut, picture, adapter, beams, isBeside } of given) {
    texts[episode] = [...texts[episode]!.slice(cut), ...added].slice(-50);
    const tokens = texts[episode];
    const layout = layoutOf(config, tokens.length);
    const prompt: Prompt = {
      ...(config.visualTokens !== 'none' && { visual: pictures[picture]! }),
      ...(layout && { layout }),
      tokens,
      adapter: adapters[adapter]!,
    };
    const request = { prompt, options: { beams, maxNewTokens: 3, endTokens: [2] } };
    if (isBeside && calls.length > 0) calls.at(-1)!.push(request);
    else calls.push([request]);
  }
  return calls;
}

function layoutOf({ visualTokens }: LlamaConfig, text: number): PromptLayout | null {
  if (visualTokens !== 'within') return null;
  return picturesWithin([{ before: 1, tokens: 3, columns: 2 }], { text, axes: 3 });
}

function expectClose(ours: GeneratedText, theirs: GeneratedText): void {
  expect(ours.tokens).toEqual(theirs.tokens);
  ours.logProbabilities.forEach((each, place) =>
    expect(each).toBeCloseTo(theirs.logProbabilities[place]!, 4),
  );
}

describe.each(Object.entries(configs))('a memory of prompts, %s', (_, config) => {
  it('gives the texts of whole reading, and its own bits whatever it has kept', async () => {
    const whole = await withoutMemory(config);
    const forgetful = await opened(config, 0);
    const limits = [20, 60, 10_000].map((places) => places * bytesOfPlace);
    const kept = await Promise.all(limits.map((limit) => opened(config, limit)));
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        kept.forEach(({ memory }) => memory.forget());
        for (const requests of callsOf(given, config)) {
          const expected = await whole.generateBatch(requests);
          const alone = await forgetful.generator.generateBatch(requests);
          expected.forEach((text, place) => expectClose(alone[place]!, text));
          for (const [place, { generator, memory }] of kept.entries()) {
            expect(await generator.generateBatch(requests)).toEqual(alone);
            expect(memory.bytes()).toBeLessThanOrEqual(limits[place]!);
          }
        }
        expect(forgetful.memory.bytes()).toBe(0);
      }),
      { numRuns: isLong ? 60 : 10 },
    );
  });
});

describe('what a memory of prompts shares', () => {
  const options = { maxNewTokens: 2, endTokens: [2] };
  const text = Array.from({ length: 30 }, (_, place) => 3 + place);
  const prompt: Prompt = { visual: pictures[0]!, tokens: text, adapter: adapters[1]! };

  /** Places read for the second prompt after the first. */
  async function readAfter(second: Prompt, limit = Infinity): Promise<number> {
    const { generator, read } = await opened(llama, limit);
    await generator.generate(prompt, options);
    const before = read();
    await generator.generate(second, options);
    return read() - before;
  }

  it('reads the same prompt from its last piece on', async () => {
    // 3 visual tokens and 30 of text are 8 pieces and a place
    expect(await readAfter(prompt)).toBe(1);
  });

  it('reads a longer prompt from the last piece that both have whole', async () => {
    expect(await readAfter({ ...prompt, tokens: [...text, 1, 2, 3, 4, 5] })).toBe(6);
  });

  it('reads from the piece in which prompts begin to differ', async () => {
    // place 13 is in the piece from 12
    expect(await readAfter({ ...prompt, tokens: text.with(10, 40) })).toBe(33 - 12);
  });

  it('reads all after another picture, a cut, or another adapter', async () => {
    expect(await readAfter({ ...prompt, visual: pictures[1]! })).toBe(33);
    expect(await readAfter({ ...prompt, visual: pictures[0]!.with(47, 9) })).toBe(33);
    expect(await readAfter({ ...prompt, tokens: text.slice(1) })).toBe(32);
    expect(await readAfter({ ...prompt, adapter: adapterOf('one') })).toBe(33);
    expect(await readAfter({ ...prompt, adapter: null })).toBe(33);
  });

  it('reads all again if its state did not fit', async () => {
    // the first 32 places are kept
    expect(await readAfter(prompt, 32 * bytesOfPlace)).toBe(1);
    expect(await readAfter(prompt, 32 * bytesOfPlace - 1)).toBe(33);
  });

  it('drops the least recently used prompt', async () => {
    const { generator, memory, read } = await opened(llama, 2 * 32 * bytesOfPlace);
    const [one, two, three] = [1, 2, 3].map((first) => ({ ...prompt, tokens: text.with(0, first) }));
    const readFor = async (given: Prompt) => {
      const before = read();
      await generator.generate(given, options);
      return read() - before;
    };
    const found: number[] = [];
    for (const given of [one!, two!, one!, three!, one!, two!]) found.push(await readFor(given));
    expect(found).toEqual([33, 33, 1, 33, 1, 33]);
    expect(memory.bytes()).toBe(2 * 32 * bytesOfPlace);
    memory.forget();
    expect(memory.bytes()).toBe(0);
    expect(await readFor(two!)).toBe(33);
  });

  it('keeps one state for an episode that grows', async () => {
    const { generator, memory } = await opened(llama, Infinity);
    for (let length = 1; length <= 30; length++) {
      await generator.generate({ ...prompt, tokens: text.slice(0, length) }, options);
      expect(memory.bytes()).toBe(Math.floor((length + 2) / 4) * 4 * bytesOfPlace);
    }
  });
});
