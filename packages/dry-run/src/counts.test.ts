import { trainConfig } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { checkpointsBytes, reportBytes, samplesBytes } from './disk.ts';
import { datasetWork, evaluationWork, noWork, probeWork, roundsWork } from './expected-work.ts';
import { expertEstimate } from './expert-estimate.ts';
import { expectedTime } from './hours.ts';
import { exactly } from './range.ts';

const config = trainConfig({
  phase: 'bc',
  play: { rounds: 3, maxSteps: 20, skipSolved: true },
  optimization: { updatesPerEpisode: 5 },
});
/** Two games that can be won in 4 and 6 steps. */
const games = { shortest: [4, 6], maxSteps: 20 };

describe('the amount of work', () => {
  it('lies between games won on a shortest way and games played to the limit', () => {
    expect(evaluationWork('evaluation', games).decisions).toEqual({ least: 10, most: 40 });
    const { decisions, updates, episodes } = roundsWork(config, games);
    // won in round 1, both are skipped in rounds 2 and 3
    expect(episodes).toEqual({ least: 2, most: 6 });
    expect(decisions).toEqual({ least: 10, most: 120 });
    expect(updates).toEqual({ least: 10, most: 30 });
  });

  it('repeats every game in every round if solved games are not skipped', () => {
    const play = { ...config.play, skipSolved: false };
    expect(roundsWork({ ...config, play }, games).decisions).toEqual({ least: 30, most: 120 });
  });

  it('is of the games that a curriculum leaves to a round, the shortest of them or the longest', () => {
    const three = { shortest: [9, 4, 6], maxSteps: 20 };
    const play = { ...config.play, skipSolved: false };
    const { curriculum } = trainConfig({ phase: 'bc', curriculum: { formula: 'half' } });
    const { decisions, updates, episodes } = roundsWork({ ...config, play, curriculum }, three);
    // half of three, rounded up, in three rounds: 4 and 6 steps, or 20 each; 5 updates an episode
    expect(episodes).toEqual({ least: 6, most: 6 });
    expect(decisions).toEqual({ least: 30, most: 120 });
    expect(updates).toEqual({ least: 30, most: 30 });
  });

  it('may be none if only failures are learned from, and for pairs', () => {
    const samples = { ...config.samples, trainAfter: 'failed-episodes' as const };
    expect(roundsWork({ ...config, samples }, games).updates).toEqual({ least: 0, most: 30 });
    expect(roundsWork({ ...config, phase: 'dpo' }, games).updates).toEqual({ least: 0, most: 30 });
  });

  it('measures the expert’s steps before training and after every round', () => {
    expect(probeWork(config, games).scored).toEqual({ least: 40, most: 160 });
  });

  it('is known exactly of a dataset', () => {
    const counts = { samples: 10, validation: 3, epochs: 2, samplesOfUpdate: 4, isJudged: false };
    const { updates, scored, pictures } = datasetWork(counts);
    expect([updates, scored, pictures]).toEqual([exactly(6), exactly(9), exactly(13)]);
  });
});

it('times are counts times measurements', () => {
  const measured = {
    opening: 1000,
    encode: 10,
    decide: { first: 100, last: 300 },
    update: { each: { least: 50, most: 80 }, rows: 8, measuredRows: 8 },
    score: { least: 1, most: 2 },
    how: [],
    memory: { opened: 0, acting: 0, usual: 0, peak: 0 },
  };
  const work = [
    {
      ...noWork,
      name: 'training',
      decisions: { least: 10, most: 20 },
      pictures: exactly(5),
      updates: exactly(2),
    },
    { ...noWork, name: 'probe', scored: exactly(7) },
  ];
  const { parts, total } = expectedTime(work, measured);
  expect(parts).toEqual([
    { name: 'opening', milliseconds: exactly(1000) },
    // 10 · 100 + 5 · 10 + 2 · 50, and 20 · (100 + 300) / 2 + 5 · 10 + 2 · 80
    { name: 'training', milliseconds: { least: 1150, most: 4210 } },
    { name: 'probe', milliseconds: { least: 7, most: 14 } },
  ]);
  expect(total).toEqual({ least: 2157, most: 5224 });
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

it('samples hold observations and prompts, and a report has a limit', () => {
  const sizes = {
    parameters: 0,
    trained: 0,
    features: 100,
    picture: 0,
    prompt: { least: 10, most: 50 },
    turn: 0,
  };
  expect(samplesBytes({ least: 2, most: 4 }, sizes)).toEqual({ least: 20, most: 4 * 1150 });
  expect(reportBytes({ least: 0, most: 1e9 }).most).toBe(15_250_000);
});

describe('the expert', () => {
  const asked = { first: { length: 100 }, last: { length: 900 } } as never;
  const teacher = { promptTokens: (request: unknown) => (request as { readonly length: number }).length };
  const model = { ...config.expert.languageModel, answerTokens: 50 };
  const calls = { least: 10, most: 20 };

  it('is counted in calls, and in money if prices are known', () => {
    const estimate = expertEstimate(teacher, { ...model, priceIn: 2, priceOut: 10 }, { calls, asked });
    expect(estimate).toMatchObject({
      tokens: { prompt: { least: 1000, most: 18_000 }, answer: { least: 20, most: 1000 } },
      cost: { least: (1000 * 2 + 20 * 10) / 1e6, most: (18_000 * 2 + 1000 * 10) / 1e6 },
    });
    expect(expertEstimate(teacher, model, { calls, asked })?.cost).toBeNull();
  });

  it('is zero without requests', () => {
    expect(expertEstimate({ promptTokens: null }, model, { calls, asked })).toBeNull();
  });
});
