import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';

import type { GeneratedText } from './generated-text.ts';
import {
  defaultSampling,
  nextDistribution,
  nucleusSampling,
  type SamplingOptions,
} from './nucleus-sampling.ts';
import type { NextScores } from './prompt-reader.ts';
import { tokenTrie } from './token-trie.ts';

const logs = (probabilities: readonly number[]) => Float32Array.from(probabilities, Math.log);
const tokensOf = (texts: readonly GeneratedText[]) => texts.map(({ tokens }) => tokens);
const all = { temperature: 1, topK: null, topP: 1 };

describe('what can be drawn', () => {
  const row = { scores: logs([0.1, 0.4, 0.2, 0.3]) };
  const shares = (...settings: Parameters<typeof nextDistribution>) => {
    const { tokens, probabilities } = nextDistribution(...settings);
    return tokens.map((token, place) => [token, Number(probabilities[place]!.toFixed(5))]);
  };

  it('is everything, likeliest first', () => {
    expect(shares(row, all)).toEqual([
      [1, 0.4],
      [3, 0.3],
      [2, 0.2],
      [0, 0.1],
    ]);
  });

  it('is the smallest set that holds topP', () => {
    // 0.4 + 0.3 = 0.7 reaches 0.65: 4/7 and 3/7; 0.7 does not reach 0.75
    expect(shares(row, { ...all, topP: 0.65 })).toEqual([
      [1, 0.57143],
      [3, 0.42857],
    ]);
    expect(shares(row, { ...all, topP: 0.75 })).toHaveLength(3);
    expect(shares(row, { ...all, topP: 1e-9 })).toEqual([[1, 1]]);
  });

  it('has powers of the probabilities at other temperatures', () => {
    // at 1/2 the squares: 16, 9, 4, 1 of 30
    expect(shares(row, { ...all, temperature: 0.5 })).toEqual([
      [1, 0.53333],
      [3, 0.3],
      [2, 0.13333],
      [0, 0.03333],
    ]);
  });

  it('cuts to topK before the nucleus is measured', () => {
    // of the first three, 4/9 + 3/9 = 0.78 reaches 0.75
    expect(shares(row, { ...all, topK: 3, topP: 0.75 })).toEqual([
      [1, 0.57143],
      [3, 0.42857],
    ]);
  });

  it('never holds what is impossible', () => {
    const tokens = [8, 5, 6];
    const scores = Float32Array.of(0, -Infinity, 0);
    expect(shares({ tokens, scores }, all).map(([token]) => token)).toEqual([8, 6]);
  });
});

/** After token 1 token 0 or the end (2), each one half; at first 1 always. */
const coin: NextScores = {
  next: async (beams) =>
    beams.length === 0
      ? [logs([0, 1, 0])]
      : beams.map(({ token }) => (token === 1 ? logs([0.5, 0, 0.5]) : logs([0, 1, 0]))),
};

describe('texts drawn at random', () => {
  const options = (seed: string, more: Partial<SamplingOptions> = {}): SamplingOptions => ({
    ...defaultSampling,
    random: Random.fromSeed(seed),
    endTokens: [2],
    promptTokens: [],
    maxNewTokens: 9,
    ...more,
  });

  it('are as frequent as they are likely', async () => {
    const texts = tokensOf(await nucleusSampling(coin, options('frequent', { samples: 4000 })));
    const count = (text: string) => texts.filter((each) => each.join('') === text).length;
    // 1/2, 1/4, 1/8; five standard deviations of a sound generator: 158, 137, 105
    expect(Math.abs(count('12') - 2000)).toBeLessThan(158);
    expect(Math.abs(count('1012') - 1000)).toBeLessThan(137);
    expect(Math.abs(count('101012') - 500)).toBeLessThan(105);
    expect(texts.every((text) => /^(10)*12$|^1(01){4}$/.test(text.join('')))).toBe(true);
  });

  it('are the same for the same generator, from logits and from rankings', async () => {
    const ranked: NextScores = {
      ...coin,
      best: async (beams) =>
        (await coin.next(beams)).map((scores) => {
          const tokens = [0, 1, 2].sort((a, b) => scores[b]! - scores[a]!);
          return { tokens, logProbabilities: Float32Array.from(tokens, (token) => scores[token]!) };
        }),
    };
    const drawn = await nucleusSampling(coin, options('same', { samples: 20 }));
    expect(await nucleusSampling(coin, options('same', { samples: 20 }))).toEqual(drawn);
    expect(await nucleusSampling(ranked, options('same', { samples: 20 }))).toEqual(drawn);
    expect(await nucleusSampling(coin, options('other', { samples: 20 }))).not.toEqual(drawn);
  });

  it('come with the probabilities of the model itself, whatever is made of them before the draw', async () => {
    const settings = { samples: 20, temperature: 0.7, topP: 0.9, topK: 2, repetitionPenalty: 1.2 };
    const drawn = await nucleusSampling(coin, options('scored', { ...settings, minNewTokens: 2 }));
    for (const { tokens, logProbabilities } of drawn) {
      // certain but for what follows token 1, which is a half
      const expected = tokens.map((_, place) => (tokens[place - 1] === 1 ? Math.log(0.5) : 0));
      expected.forEach((each, place) => expect(logProbabilities[place]).toBeCloseTo(each, 6));
      expect(logProbabilities).toHaveLength(tokens.length);
    }
  });

  it('obey minimum length and a list of texts', async () => {
    const long = tokensOf(await nucleusSampling(coin, options('long', { samples: 50, minNewTokens: 3 })));
    expect(Math.min(...long.map(({ length }) => length))).toBe(4);
    const allowed = tokenTrie([
      [1, 0, 1, 2],
      [1, 2],
    ]);
    const listed = tokensOf(await nucleusSampling(coin, options('listed', { samples: 50, allowed })));
    expect(new Set(listed.map(String))).toEqual(new Set(['1,2', '1,0,1,2']));
  });

  it('refuse settings without meaning', async () => {
    for (const wrong of [{ topP: 0 }, { temperature: 0 }, { topK: 0 }, { samples: 0 }])
      await expect(nucleusSampling(coin, options('wrong', wrong))).rejects.toThrow(/sampling: /);
  });
});
