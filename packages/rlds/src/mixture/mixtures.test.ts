import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import type { RldsEpisode, RldsStep } from '../steps/episodes.ts';
import { mixedSteps, stepsOf, type MixOptions, type MixturePart, type PlacedStep } from './mixed-steps.ts';
import { mixtureNamed, readMixtures } from './mixtures.ts';

describe('named mixtures', () => {
  const mixtures = readMixtures(
    {
      both: [
        ['spatial', 1],
        ['goal', 0.5],
      ],
      one: [['goal', 2]],
    },
    'mixtures.json',
  );

  it('are datasets with weights', () => {
    expect(mixtureNamed(mixtures, 'both')).toEqual([
      { dataset: 'spatial', weight: 1 },
      { dataset: 'goal', weight: 0.5 },
    ]);
  });

  it('that are unknown are an error that names the known ones', () => {
    expect(() => mixtureNamed(mixtures, 'other')).toThrow('mixture: must be one of both, one, got other');
  });

  it.each([
    ['a weight of 0', { a: [['x', 0]] }],
    ['a weight that is a text', { a: [['x', '1']] }],
    ['no datasets', { a: [] }],
    [
      'a dataset twice',
      {
        a: [
          ['x', 1],
          ['x', 2],
        ],
      },
    ],
    ['a list', []],
  ])('with %s are rejected', (_, json) => {
    expect(() => readMixtures(json, 'mixtures.json')).toThrow(
      expect.objectContaining({
        code: 'data',
        message: expect.stringMatching(/^mixtures\.json: /) as string,
      }),
    );
  });
});

/** Episodes whose steps have a picture of one byte, the step's number in the dataset, within a larger record. */
function made(
  dataset: string,
  weight: number,
  lengths: readonly number[],
): MixturePart<string> & { opened: number; closed: number } {
  const part = {
    dataset,
    weight,
    statistics: `of ${dataset}`,
    opened: 0,
    closed: 0,
    async *episodes(): AsyncGenerator<RldsEpisode> {
      part.opened++;
      let total = 0;
      try {
        for (const [number, length] of lengths.entries()) {
          const record = Uint8Array.from({ length: 1000 }, (_, at) => at);
          const steps = Array.from({ length }, (_, index) => stepOf(index, record.subarray(total, ++total)));
          yield { number, filePath: null, steps, values: {} };
        }
      } finally {
        part.closed++;
      }
    },
  };
  return part;
}

function stepOf(index: number, image: Uint8Array): RldsStep {
  const nothing = { state: null, instruction: null, reward: null, discount: null };
  const flags = { isFirst: false, isLast: false, isTerminal: false };
  const action = Float32Array.of(image[0]!);
  return {
    index,
    image,
    action,
    ...nothing,
    ...flags,
    values: { image, action: { shape: [1], data: action } },
  };
}

async function take(
  parts: readonly MixturePart<string>[],
  count: number,
  options: Partial<MixOptions> = {},
): Promise<PlacedStep<string>[]> {
  const taken: PlacedStep<string>[] = [];
  for await (const step of mixedSteps(parts, { random: Random.fromSeed(1), ...options })) {
    taken.push(step);
    if (taken.length === count) break;
  }
  return taken;
}

const number = ({ step }: PlacedStep<string>) => step.image![0]!;

describe('mixed steps', () => {
  it('come from each dataset in proportion to its weight', async () => {
    const parts = [made('a', 6, [3]), made('b', 3, [50, 50]), made('c', 1, [1, 1])];
    const count = 20_000;
    const taken = await take(parts, count);
    for (const { dataset, weight } of parts) {
      const share = weight / 10;
      const found = taken.filter((step) => step.dataset === dataset).length;
      // five standard deviations of the binomial distribution
      const deviation = 5 * Math.sqrt(count * share * (1 - share));
      expect(Math.abs(found - count * share), dataset).toBeLessThan(deviation);
    }
  });

  it('come from each dataset in order, again and again, with its statistics', async () => {
    const taken = await take([made('a', 1, [2, 0, 1]), made('b', 1, [4])], 100);
    const of = (dataset: string) => taken.filter((step) => step.dataset === dataset);
    expect(of('a').map((step) => [step.episode.number, step.step.index])).toEqual(
      of('a').map(
        (_, at) =>
          [
            [0, 0],
            [0, 1],
            [2, 0],
          ][at % 3],
      ),
    );
    expect(of('b').map(number)).toEqual(of('b').map((_, at) => at % 4));
    for (const step of taken) expect(step.statistics).toBe(`of ${step.dataset}`);
  });

  it('are the same for the same seed and others for another', async () => {
    const parts = [made('a', 1, [20]), made('b', 2, [30])];
    const drawn = async (seed: number) =>
      (await take(parts, 60, { random: Random.fromSeed(seed), buffer: 8 })).map(
        (step) => `${step.dataset}${number(step)}`,
      );
    expect(await drawn(3)).toEqual(await drawn(3));
    expect(await drawn(3)).not.toEqual(await drawn(4));
  });

  it('are shuffled by a buffer, without losses or duplicates', async () => {
    const buffer = 25;
    const taken = (await take([made('a', 1, [60, 40])], 500, { buffer })).map(number);
    expect(taken.slice(0, 30)).not.toEqual(taken.slice(0, 30).toSorted((one, other) => one - other));
    // of the 524 steps read by then, 24 are still in the buffer
    const times = (step: number) => taken.filter((each) => each === step).length;
    const read = (step: number) => 5 + (step < 24 ? 1 : 0);
    const missing = Array.from({ length: 100 }, (_, step) => read(step) - times(step));
    expect(Math.min(...missing)).toBeGreaterThanOrEqual(0);
    expect(missing.reduce((sum, each) => sum + each)).toBe(24);
    // the first draw is from the first 25 steps, the second from the rest and the 26th …
    for (const [place, step] of taken.slice(0, 70).entries()) expect(step).toBeLessThan(buffer + place);
  });

  it('in a buffer keep only their own bytes in memory', async () => {
    const [, second] = await take([made('a', 1, [40])], 2, { buffer: 20 });
    const { image, values } = second!.step;
    expect(values['image']).toBe(image);
    expect(image!.buffer.byteLength).toBe(1);
  });

  it('leave no dataset open', async () => {
    const parts = [made('a', 1, [3]), made('b', 1, [5])];
    await take(parts, 40);
    for (const { opened, closed } of parts) expect([opened, closed]).toEqual([opened, opened]);
    expect(parts[0]!.opened).toBeGreaterThan(1);
  });

  it.each<readonly [string, readonly MixturePart<string>[], number, string]>([
    ['no datasets', [], 1, 'usage'],
    ['a weight of 0', [made('a', 0, [1])], 1, 'usage'],
    ['a weight that is none', [made('a', NaN, [1])], 1, 'usage'],
    ['a buffer of half a step', [made('a', 1, [1])], 0.5, 'usage'],
    ['a dataset without steps', [made('a', 1, [0, 0])], 1, 'data'],
  ])('of %s are rejected', async (_, parts, buffer, code) => {
    await expect(take(parts, 1, { buffer })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^mixture: /) as string,
    });
  });
});

it('the steps of one dataset are each given once', async () => {
  const steps: PlacedStep<string>[] = [];
  for await (const step of stepsOf(made('a', 1, [2, 3]))) steps.push(step);
  expect(steps.map(number)).toEqual([0, 1, 2, 3, 4]);
  expect(steps.map(({ episode }) => episode.number)).toEqual([0, 0, 1, 1, 1]);
});
