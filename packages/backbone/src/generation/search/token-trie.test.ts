import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { beamSearch } from './beam-search.ts';
import { defaultSearch } from './search-options.ts';
import type { NextLogits } from '../prompts/prompt-reader.ts';
import { tokenTrie } from './token-trie.ts';

const vocabulary = 7;
const end = 2;

/** Any function of the text so far: logit(v | text) = 3 sin(seed + Σ (i + 1) · text_i + 1.3 v). */
function model(seed: number): NextLogits {
  let texts: number[][] = [[]];
  return async (beams) => {
    if (beams.length > 0) texts = beams.map(({ parent, token }) => [...texts[parent]!, token]);
    return texts.map((text) => Float32Array.from(logits(seed, text)));
  };
}

function logits(seed: number, text: readonly number[]): number[] {
  const state = text.reduce((sum, token, place) => sum + (place + 1) * token, seed);
  return Array.from({ length: vocabulary }, (_, token) => 3 * Math.sin(state + 1.3 * token));
}

function logProbability(seed: number, text: readonly number[]): number {
  return text.reduce((sum, token, place) => {
    const row = logits(seed, text.slice(0, place));
    const total = row.reduce((all, logit) => all + Math.exp(logit), 0);
    return sum + row[token]! - Math.log(total);
  }, 0);
}

const word = fc.integer({ min: 3, max: vocabulary - 1 });
const lists = fc
  .uniqueArray(fc.array(word, { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 6,
    selector: (text) => text.join(),
  })
  .map((texts) => texts.map((text) => [...text, end]));
const settings = { ...defaultSearch, endTokens: [end], maxNewTokens: 5, promptTokens: [] };

describe('a list of allowed texts', () => {
  it('gives the possible next tokens', () => {
    const trie = tokenTrie([
      [4, 3, 2],
      [4, 2],
      [6, 2],
    ]);
    expect(trie.after([])).toEqual([4, 6]);
    expect(trie.after([4])).toEqual([2, 3]);
    expect(trie.after([4, 2])).toEqual([]);
    expect(trie.after([5])).toEqual([]);
  });

  it('rejects texts that cannot be told apart by their end', () => {
    expect(() => tokenTrie([[4], [4, 2]])).toThrow(/must have one end token, at its end/);
    expect(() => tokenTrie([[]])).toThrow(/must have one end token, at its end/);
  });

  it('restricts every search to its texts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 1000 }),
        lists,
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('huggingface' as const, 'lavis' as const),
        async (seed, texts, beams, definition) => {
          const allowed = tokenTrie(texts);
          const { tokens } = await beamSearch(
            { next: model(seed) },
            { ...settings, beams, definition, allowed, repetitionPenalty: 1.3 },
          );
          expect(texts.map(String)).toContain(String(tokens));
        },
      ),
    );
  });

  it("contains the search's best texts if there is a beam for each", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 1000 }), lists, async (seed, texts) => {
        const options = { ...settings, beams: Math.max(2, texts.length), lengthPenalty: 0 };
        const { tokens } = await beamSearch({ next: model(seed) }, { ...options, allowed: tokenTrie(texts) });
        const best = Math.max(...texts.map((text) => logProbability(seed, text)));
        expect(logProbability(seed, tokens)).toBeCloseTo(best, 4);
      }),
    );
  });

  it('drops texts that the lengths forbid, and fails when none is left', async () => {
    const allowed = tokenTrie([
      [4, 2],
      [5, 5, 2],
      [6, 6, 6, 6, 6, 2],
    ]);
    for (const beams of [1, 3]) {
      const options = { ...settings, beams, allowed };
      expect((await beamSearch({ next: model(1) }, { ...options, minNewTokens: 2 })).tokens).toEqual([
        5, 5, 2,
      ]);
      expect((await beamSearch({ next: model(1) }, { ...options, maxNewTokens: 2 })).tokens).toEqual([4, 2]);
      await expect(beamSearch({ next: model(1) }, { ...options, maxNewTokens: 1 })).rejects.toThrow(
        /none of the allowed texts ends with a token of \[2\]/,
      );
    }
  });
});
