/**
 * An update over dataset pairs, accumulated as in the published code: the mean of each micro-batch, then the mean over
 * micro-batches. The policy is all zeros and its own reference: each of seven commands has probability 1/7, all in its
 * first token. So every number can be derived by hand.
 */
import { promptOf, Random } from '@emac/core';
import { bagOfWords, blank } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { offlineRun } from './offline-runs.test.support.ts';
import { trainOffline } from './offline.ts';
import type { MicroStep } from '../progress.ts';

// tokens are words and an end token: only the first output has four, the others three
const pairs = [
  { output: 'look around twice', worse: 'go a', tokens: 4 },
  { output: 'go b', worse: 'go c', tokens: 3 },
  { output: 'take a', worse: 'take b', tokens: 3 },
];
// of the preset
const [beta, mixRatio] = [0.1, 0.5];

/** loss of a pair: ln 2 at equal policies, and half of −log π(chosen), the mean over its tokens */
const lossOf = (pair: number) => Math.LN2 + (mixRatio * Math.log(7)) / pairs[pair]!.tokens;

/**
 * ∂loss/∂bias = Σ u·(e − 1/7) with u = −(β/2 + mix)/tokens for chosen and β/2/tokens for rejected commands, times the
 * pair's weight; no command is in two pairs. Its squared norm is Σu² − (Σu)²/7.
 */
function gradientNorm(weights: readonly number[]): number {
  const slopes = pairs.flatMap(({ tokens }, pair) => [
    (-weights[pair]! * (beta / 2 + mixRatio)) / tokens,
    (weights[pair]! * (beta / 2)) / 3,
  ]);
  const sum = slopes.reduce((total, each) => total + each, 0);
  return Math.sqrt(slopes.reduce((total, each) => total + each * each, 0) - (sum * sum) / 7);
}

describe('an update over pairs', () => {
  it('is the mean over micro-batches of their means, even if the last one is smaller', async () => {
    const zeros = () => bagOfWords(Random.fromSeed('zeros'), 0);
    const asked: number[] = [];
    const microSteps: MicroStep[] = [];
    const { run, metrics } = offlineRun({
      phase: 'dpo',
      settings: { clipNorm: null, schedule: 'linear', warmup: 0, learningRate: 0.4, minimum: 0 },
      epochs: 1,
      report: (event) => {
        if (event.kind === 'update') microSteps.push(...event.microSteps);
      },
      policy: zeros(),
      reference: zeros(),
      data: {
        length: 3,
        sample: (index) => {
          asked.push(index);
          const { output, worse } = pairs[index]!;
          return Promise.resolve({ prompt: promptOf([blank], 'no word it knows'), output, worse });
        },
      },
    });
    expect(run.settings.preference).toMatchObject({ beta, mixRatio });
    await trainOffline(run);
    const [first, second, lone] = asked as [number, number, number];
    const update = metrics.find(({ kind }) => kind === 'update')!;
    expect(update['loss']).toBeCloseTo((lossOf(first) + lossOf(second)) / 4 + lossOf(lone) / 2, 6);
    const weights = [0, 0, 0].map((_, pair) => (pair === lone ? 1 / 2 : 1 / 4));
    expect(update['gradient_norm']).toBeCloseTo(gradientNorm(weights), 6);
    // two micro-steps of a linear fall in two, the last one's rate for the update
    expect(microSteps.map(({ lr }) => lr)).toEqual([0.4, 0.2]);
    expect(update['lr']).toBe(0.2);
    const nll = (pair: number) => Math.log(7) / pairs[pair]!.tokens;
    const expected = [
      { loss: (lossOf(first) + lossOf(second)) / 2, nll: (nll(first) + nll(second)) / 2 },
      { loss: lossOf(lone), nll: nll(lone) },
    ];
    for (const [place, { measures }] of microSteps.entries()) {
      expect(measures).toMatchObject({ w_reward: 0, l_reward: 0 });
      expect(measures['loss']).toBeCloseTo(expected[place]!.loss, 6);
      expect(measures['nll']).toBeCloseTo(expected[place]!.nll, 6);
    }
    // by the sample it would be this one
    expect(gradientNorm(weights)).not.toBeCloseTo(gradientNorm([1 / 3, 1 / 3, 1 / 3]), 3);
  });
});
