import type { OpenedRun } from '@emac/experiment';
import { exactly, plainHost, type Expected, type Trial } from '@emac/opening';
import { describe, expect, it } from 'vitest';
import { checkpointsBytes } from './disk.ts';
import { expectedTime } from './expected-time.ts';
import { expertEstimate } from './expert-estimate.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';
import { measureTrials } from './trials.ts';

const work = {
  noun: 'attempt',
  size: 96,
  together: 8,
  played: exactly(192),
  learned: null,
  measured: null,
  labels: null,
  heldOut: { episodes: 6, steps: null },
  maxSteps: 1,
  maxTextTokens: null,
  policy: { layers: null },
} as unknown as Expected;

describe('trials', () => {
  const folder = temporaryFolder();

  /** Whatever is under way is played in 4 s, up to eight attempts, and learned from in 80 ms each; the first trial opens sessions for a second; an episode takes 70 ms. */
  const measured = async (limit: number, expected = work) => {
    let time = 0;
    const sizes: [number, number][] = [];
    const tried = (_out: string, { size, episodes, ...trial }: Trial, { listener }: typeof host) => {
      const attempts = Math.max(2, size);
      listener.begin('evaluation before');
      time += 70 * episodes;
      listener.begin('training');
      time += 4000 * Math.ceil(attempts / 8) + (sizes.length === 0 ? 1000 : 0);
      trial.learning([]);
      time += 80 * attempts;
      trial.attempting(attempts);
      listener.begin('evaluation after');
      time += 70 * episodes;
      sizes.push([attempts, episodes]);
      return Promise.resolve({ folder });
    };
    const host = { ...plainHost(), now: () => time, listener: null! as Listener };
    const run = { tried } as unknown as Pick<OpenedRun, 'tried'>;
    const trials = await measureTrials(run, expected, { host, limit, resident: () => 0 });
    return { ...trials, sizes };
  };
  interface Listener {
    begin(part: string): void;
  }

  it('are as large as the attempts under way, even if the smallest used the time', async () => {
    // two attempts in 5.16 s, within twice the limit; then eight in 4 s
    const { sizes, play, learn } = await measured(2600);
    expect([sizes, play, learn]).toEqual([
      [
        [2, 0],
        [8, 0],
      ],
      exactly(500),
      80,
    ]);
  });

  it('give bounds if only the smallest was measured', async () => {
    // two in 5 s: eight take 5 s at least and 20 s at most
    const { sizes, play, how } = await measured(2000);
    expect([sizes, play]).toEqual([[[2, 0]], { least: 625, most: 2500 }]);
    expect(how).toEqual([
      'updating: 2 attempts, extrapolated to the 96 of an update',
      'evaluating: extrapolated from attempts of training',
    ]);
  });

  it('grow to an update as time allows, with some held-out episodes', async () => {
    // 96 attempts in 12 groups of eight; the six episodes are played twice
    const { sizes, play, learn, evaluate } = await measured(1e9);
    expect(sizes.at(-1)).toEqual([96, 6]);
    expect([play, learn, evaluate]).toEqual([exactly(500), 80, exactly(70)]);
  });
});

it('times are counts times measurements', () => {
  const expected: Expected = {
    ...work,
    played: { least: 10, most: 20 },
    learned: exactly(4),
    measured: { samples: exactly(7), times: 3 },
    heldOut: { episodes: 2, steps: { least: 5, most: 30 } },
  };
  const each = { play: { least: 100, most: 200 }, learn: 25, measure: 2, evaluate: exactly(3) };
  const { parts, total } = expectedTime(expected, { opening: 1000, how: [], ...each }, 'training');
  expect(parts).toEqual([
    { name: 'opening', milliseconds: exactly(1000) },
    { name: 'evaluation before', milliseconds: { least: 15, most: 90 } },
    { name: 'probe', milliseconds: exactly(14) },
    // 10 · 100 + 4 · 25, and 20 · 200 + 4 · 25
    { name: 'training', milliseconds: { least: 1100, most: 4100 } },
    { name: 'evaluation after', milliseconds: { least: 15, most: 90 } },
  ]);
  expect(total).toEqual({ least: 2144, most: 5294 });
});

it('checkpoints are the kept ones and the best, with two moments of the trainable parameters', () => {
  const written = { least: 2, most: 30 };
  const sizes = { parameters: 1000, trained: 900 };
  const keeping = (keep: number | null, rounds = 0) => checkpointsBytes(sizes, { written, keep, rounds });
  expect(keeping(5)).toEqual({ least: 5600, most: 6 * (2800 + 32_768) });
  // and the ends of three rounds
  expect(keeping(5, 3)).toEqual({ least: 5600, most: 9 * (2800 + 32_768) });
  expect(keeping(null).most).toBe(30 * (2800 + 32_768));
});

describe('the expert', () => {
  const config = { answerTokens: 50, priceIn: null, priceOut: null, replay: null };
  const asked = (prices: object, promptTokens: (() => number) | null = () => 0) =>
    ({ promptTokens, calls: { least: 10, most: 20 }, config: { ...config, ...prices } }) as never;
  const requests = { first: 100, mean: 300, last: 900 };

  it('is counted in calls, and in money if prices are known', () => {
    expect(expertEstimate(asked({ priceIn: 2, priceOut: 10 }), requests)).toMatchObject({
      tokens: { prompt: { least: 1000, most: 18_000 }, answer: { least: 20, most: 1000 } },
      cost: { least: (1000 * 2 + 20 * 10) / 1e6, most: (18_000 * 2 + 1000 * 10) / 1e6 },
    });
    expect(expertEstimate(asked({}), requests)?.cost).toBeNull();
  });

  it('is zero without requests', () => {
    expect(expertEstimate(asked({}, null), requests)).toBeNull();
  });
});
