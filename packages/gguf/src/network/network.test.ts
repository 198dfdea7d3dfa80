import { describe, expect, it } from 'vitest';
import { tangled, untangled } from './head-rows.ts';
import { shortest } from './network.ts';
import { llama3Factors } from './rotary-scaling.ts';
import { mergesOfScores, scoresOfMerges } from '../tokenizer/piece-merges.ts';

describe('the rows of a head', () => {
  it('stand in pairs in GGUF and in halves in a folder', () => {
    // rows 0 to 3 of width 2, row r holds 10r and 10r + 1
    const head = Float32Array.from([0, 1, 10, 11, 20, 21, 30, 31]);
    expect([...tangled(head, 2)]).toEqual([0, 1, 20, 21, 10, 11, 30, 31]);
    expect([...untangled(tangled(head, 2), 2)]).toEqual([...head]);
  });
});

describe("Llama 3's factors", () => {
  it('leave short waves, slow long ones, and lie between in the middle', () => {
    // θ = 1e4, heads of 8: wavelengths 2π · 10^i, 6.28 to 6283; 1 below 64 / 4, 8 above 64
    // 62.8: smooth = (64 / 62.83 − 1) / 3 = 0.0062, 1 / (0.9938 / 8 + 0.0062) = 7.667
    const scaling = { type: 'llama3', factor: 8, originalPositions: 64 } as const;
    const factors = [...llama3Factors(scaling, { theta: 10_000, headSize: 8 })];
    expect(factors.map((each) => Number(each.toFixed(2)))).toEqual([1, 7.67, 8, 8]);
  });
});

describe('a number stored in 32 bits', () => {
  it('is read as the shortest decimal that stands for it', () => {
    expect([1e-5, 1e-6, 500_000, 0.1].map((value) => shortest(Math.fround(value)))).toEqual([
      1e-5, 1e-6, 500_000, 0.1,
    ]);
  });
});

describe('the merges of pieces', () => {
  const tokens = ['<unk>', 'a', 'b', 'ab', 'ba', 'aba'];
  const types = [2, 1, 1, 1, 1, 1];

  it('are every way to split a token, highest score first', () => {
    expect(mergesOfScores(tokens, [0, 0, 0, -2, -1, -3], types)).toEqual([
      ['b', 'a'],
      ['a', 'b'],
      ['a', 'ba'],
      ['ab', 'a'],
    ]);
  });

  it('give scores of the same order, or are rejected if no scores do', () => {
    const merges = mergesOfScores(tokens, [0, 0, 0, -2, -1, -3], types);
    expect(mergesOfScores(tokens, scoresOfMerges(tokens, merges, 'f'), types)).toEqual(merges);
    expect(() =>
      scoresOfMerges(
        tokens,
        [
          ['a', 'ba'],
          ['a', 'b'],
          ['ab', 'a'],
        ],
        'f',
      ),
    ).toThrow(/all merges to one token must follow one another, those to "aba" do not/);
  });
});
