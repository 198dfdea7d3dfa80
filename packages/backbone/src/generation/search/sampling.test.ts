import { readFileSync } from 'node:fs';

import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';

import { drawnWeights, type Truncation } from './drawn-weights.ts';
import type { DrawnText } from './generated-text.ts';
import { tokenDistribution } from './log-softmax.ts';
import type { NextLogits } from '../prompts/prompt-reader.ts';
import { defaultSampling, sampling, type SamplingOptions } from './sampling.ts';
import { tokenTrie } from './token-trie.ts';

const logs = (probabilities: readonly number[]) => Float32Array.from(probabilities, Math.log);
const tokensOf = (texts: readonly DrawnText[]) => texts.map(({ tokens }) => tokens);
const all = { temperature: 1, topK: null, topP: 1 };

describe('the sampling weights', () => {
  const shares = (scores: Float32Array, truncation: Truncation) => {
    const weights = drawnWeights(scores, truncation);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return Array.from(weights, (weight) => Number((weight / total).toFixed(5)));
  };
  const row = logs([0.1, 0.4, 0.2, 0.3]);

  it('cover everything by default', () => {
    expect(shares(row, all)).toEqual([0.1, 0.4, 0.2, 0.3]);
  });

  it('cover the smallest set that holds topP', () => {
    // 0.4 + 0.3 = 0.7 reaches 0.65: 4/7 and 3/7; 0.7 does not reach 0.75: 4, 2 and 3 of 9
    expect(shares(row, { ...all, topP: 0.65 })).toEqual([0, 0.57143, 0, 0.42857]);
    expect(shares(row, { ...all, topP: 0.75 })).toEqual([0, 0.44444, 0.22222, 0.33333]);
    expect(shares(row, { ...all, topP: 1e-9 })).toEqual([0, 1, 0, 0]);
  });

  it('are powers of the probabilities at other temperatures', () => {
    // at 1/2 the squares: 1, 16, 4, 9 of 30
    expect(shares(row, { ...all, temperature: 0.5 })).toEqual([0.03333, 0.53333, 0.13333, 0.3]);
  });

  it('apply topK before the nucleus is measured', () => {
    // of the first three, 4/9 + 3/9 = 0.78 reaches 0.75
    expect(shares(row, { ...all, topK: 3, topP: 0.75 })).toEqual([0, 0.57143, 0, 0.42857]);
  });

  it('never cover impossible tokens', () => {
    expect(shares(Float32Array.of(0, -Infinity, 0), { ...all, topK: 3 })).toEqual([0.5, 0, 0.5]);
    expect(() => drawnWeights(Float32Array.of(-Infinity, NaN), all)).toThrow(/no token has a finite score/);
  });

  it('cover the most likely of many tokens, however far apart their ids are', () => {
    // probabilities of a half, a quarter, …: n tokens hold 1 − 2⁻ⁿ
    const halves = Float32Array.from({ length: 200 }, (_, token) => -Math.LN2 * (token + 1));
    for (const count of [1, 4, 12, 30]) {
      const kept = drawnWeights(halves, { ...all, topP: 1 - 1.5 * 2 ** -count });
      expect(kept.findIndex((weight) => weight === 0)).toBe(count);
      expect(kept.subarray(count).every((weight) => weight === 0)).toBe(true);
    }
  });
});

interface WarpedCase {
  readonly logits: readonly number[];
  readonly settings: Truncation;
  readonly probabilities: readonly number[];
  readonly logProbabilities: readonly number[];
  readonly entropy: number;
}

const cases = JSON.parse(
  readFileSync(new URL('../../../fixtures/sampling.json', import.meta.url), 'utf8'),
) as WarpedCase[];

describe('compared with transformers and torch', () => {
  it.each(cases.map((each) => [each.settings, each] as const))('%j', (settings, expected) => {
    const logits = Float32Array.from(expected.logits);
    const weights = drawnWeights(logits, settings);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    expected.probabilities.forEach((probability, token) =>
      expect(weights[token]! / total).toBeCloseTo(probability, 6),
    );
    // the whole distribution, without truncation
    const { logProbability, entropy } = tokenDistribution(logits, settings.temperature);
    expected.logProbabilities.forEach((each, token) => {
      const bound = 1e-6 * Math.max(1, Math.abs(each));
      expect(Math.abs(logProbability(token) - each)).toBeLessThan(bound);
    });
    expect(entropy).toBeCloseTo(expected.entropy, 6);
  });
});

/** After token 1, token 0 or the end (2), each one half; the first token is always 1. */
const next: NextLogits = async (beams) =>
  beams.length === 0
    ? [logs([0, 1, 0])]
    : beams.map(({ token }) => (token === 1 ? logs([0.5, 0, 0.5]) : logs([0, 1, 0])));
const coin = { next };

describe('sampled texts', () => {
  const options = (
    seed: string,
    { samples = 1, ...more }: Partial<SamplingOptions> & { readonly samples?: number } = {},
  ): SamplingOptions => ({
    ...defaultSampling,
    randoms: Array.from({ length: samples }, (_, place) => Random.fromSeed(seed).stream(place)),
    endTokens: [2],
    promptTokens: [],
    maxNewTokens: 9,
    ...more,
  });

  it('occur as often as their probability says', async () => {
    const texts = tokensOf(await sampling(coin, options('frequent', { samples: 4000 })));
    const count = (text: string) => texts.filter((each) => each.join('') === text).length;
    // 1/2, 1/4, 1/8; five standard deviations of a correct generator: 158, 137, 105
    expect(Math.abs(count('12') - 2000)).toBeLessThan(158);
    expect(Math.abs(count('1012') - 1000)).toBeLessThan(137);
    expect(Math.abs(count('101012') - 500)).toBeLessThan(105);
    expect(texts.every((text) => /^(10)*12$|^1(01){4}$/.test(text.join('')))).toBe(true);
  });

  it('depend only on their own random generator', async () => {
    const together = await sampling(coin, options('same', { samples: 20 }));
    for (const [place, text] of together.entries()) {
      const randoms = [Random.fromSeed('same').stream(place)];
      expect(await sampling(coin, { ...options(''), randoms })).toEqual([text]);
    }
    expect(new Set(tokensOf(together).map(String)).size).toBeGreaterThan(2);
  });

  it('report probability and entropy of the whole distribution, without truncation', async () => {
    // after token 1 four tokens of 1/2, 1/4, 1/8, 1/8: squares 16, 4, 1, 1 of 22 at temperature 1/2
    const spread = { next: async () => [logs([0.5, 0.25, 0.125, 0.125])] };
    const settings = { temperature: 0.5, topK: 3, topP: 0.9, maxNewTokens: 1, endTokens: [9] };
    const squares = [16, 4, 1, 1].map((weight) => weight / 22);
    const entropy = -squares.reduce((sum, share) => sum + share * Math.log(share), 0);
    const texts = await sampling(spread, options('whole', { ...settings, samples: 40 }));
    expect(new Set(tokensOf(texts).map(String))).toEqual(new Set(['0', '1']));
    for (const { tokens, logProbabilities, entropies } of texts) {
      expect(logProbabilities[0]).toBeCloseTo(Math.log(squares[tokens[0]!]!), 6);
      expect(entropies[0]).toBeCloseTo(entropy, 6);
    }
  });

  it("report the model's own probabilities under penalties, lengths and lists", async () => {
    const settings = { samples: 20, temperature: 0.7, topP: 0.9, topK: 2, repetitionPenalty: 1.2 };
    const texts = await sampling(coin, options('scored', { ...settings, minNewTokens: 2 }));
    for (const { tokens, logProbabilities, entropies } of texts) {
      // all tokens are certain, except after token 1: one half at every temperature
      const expected = tokens.map((_, place) => (tokens[place - 1] === 1 ? Math.LN2 : 0));
      expected.forEach((each, place) => {
        expect(logProbabilities[place]).toBeCloseTo(-each, 6);
        expect(entropies[place]).toBeCloseTo(each, 6);
      });
      expect(logProbabilities).toHaveLength(tokens.length);
    }
  });

  it('stop at a stop rule and keep the token that triggered it', async () => {
    const hasStopped = (tokens: readonly number[]) => tokens.join('').endsWith('010');
    const texts = tokensOf(await sampling(coin, options('stop', { samples: 60, hasStopped })));
    expect(new Set(texts.map((text) => text.join('')))).toEqual(new Set(['12', '1012', '1010']));
  });

  it('obey minimum length and a list of texts', async () => {
    const long = tokensOf(await sampling(coin, options('long', { samples: 50, minNewTokens: 3 })));
    expect(Math.min(...long.map(({ length }) => length))).toBe(4);
    const allowed = tokenTrie([
      [1, 0, 1, 2],
      [1, 2],
    ]);
    const listed = tokensOf(await sampling(coin, options('listed', { samples: 50, allowed })));
    expect(new Set(listed.map(String))).toEqual(new Set(['1,2', '1,0,1,2']));
  });

  it('reject meaningless settings', async () => {
    for (const wrong of [{ topP: 0 }, { temperature: 0 }, { topK: 0 }, { randoms: [] }])
      await expect(sampling(coin, options('wrong', wrong))).rejects.toThrow(/sampling: /);
  });
});
