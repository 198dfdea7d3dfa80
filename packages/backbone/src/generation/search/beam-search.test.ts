import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { beamSearch } from './beam-search.ts';
import { defaultSearch, type SearchOptions } from './search-options.ts';
import type { NextLogits, NextScores } from '../prompts/prompt-reader.ts';

/**
 * A language model of 9 tokens, 2 being the end: logit(v | last token l, n new tokens so far) is 4 sin(1.7 l + 2.3 v +
 * 0.9 n + 0.5 l v), one more for the end.
 */
function sines(start: number): NextLogits {
  let steps = 0;
  return async (beams) => {
    const lasts = beams.length === 0 ? [start] : beams.map(({ token }) => token);
    const n = steps++;
    return lasts.map((l) =>
      Float32Array.from(
        { length: 9 },
        (_, v) => 4 * Math.sin(1.7 * l + 2.3 * v + 0.9 * n + 0.5 * l * v) + (v === 2 ? 1 : 0),
      ),
    );
  };
}

/**
 * The results of transformers 4.57.1's `generate` and transformers 4.28.1's BeamSearchScorer for that model after the
 * prompts [1, 3], [1, 5] and [1, 8] (4.28: seeded with token 1); PyTorch 2.9.1.
 */
const reference: {
  settings: Partial<SearchOptions> & { maxNewTokens: number };
  huggingface: string[];
  lavis?: string[];
}[] = [
  {
    settings: { beams: 1, maxNewTokens: 8 },
    huggingface: ['4082', '51657546', '2'],
  },
  {
    settings: { beams: 1, maxNewTokens: 8, repetitionPenalty: 3.0, minNewTokens: 4 },
    huggingface: ['4085762', '037182', '705662'],
  },
  {
    settings: { beams: 3, maxNewTokens: 8 },
    huggingface: ['432', '5165742', '632'],
    lavis: ['432', '51657506', '64711546'],
  },
  {
    settings: { beams: 4, maxNewTokens: 10, minNewTokens: 5, repetitionPenalty: 1.5, lengthPenalty: -1.0 },
    huggingface: ['4005362', '5165742', '5165742'],
    lavis: ['4005362', '5165742', '5165742'],
  },
  {
    settings: { beams: 3, maxNewTokens: 10, lengthPenalty: 1.7, earlyStopping: true },
    huggingface: ['432', '5165742', '632'],
    lavis: ['432', '5165742', '632'],
  },
  {
    settings: { beams: 2, maxNewTokens: 12, lengthPenalty: 2.0, earlyStopping: 'never' },
    huggingface: ['400575063711', '5165750632', '700575063711'],
    lavis: ['400575063711', '516575063711', '700575063711'],
  },
  {
    settings: { beams: 3, maxNewTokens: 9, lengthPenalty: 0.0, earlyStopping: 'never' },
    huggingface: ['432', '032', '2'],
    lavis: ['432', '032', '2'],
  },
  {
    settings: { beams: 4, maxNewTokens: 12, repetitionPenalty: 0.8, lengthPenalty: 2.0 },
    huggingface: ['4644154632', '5165754632', '147115464711'],
    lavis: ['464415464711', '516575464711', '147115464711'],
  },
  {
    settings: { beams: 2, maxNewTokens: 1 },
    huggingface: ['4', '5', '2'],
    lavis: ['4', '5', '8'],
  },
];

describe('beam search', () => {
  for (const { settings, huggingface, lavis } of reference)
    for (const [index, start] of [3, 5, 8].entries()) {
      const options = { ...defaultSearch, endTokens: [2], ...settings };
      const name = `${JSON.stringify(settings)} after ${start}`;
      it(`gives the tokens of transformers 4.57 for ${name}`, async () => {
        const { tokens } = await beamSearch({ next: sines(start) }, { ...options, promptTokens: [1, start] });
        expect(tokens.join('')).toBe(huggingface[index]);
      });
      if (lavis)
        it(`gives the tokens of transformers 4.28 with embeddings for ${name}`, async () => {
          const { tokens } = await beamSearch(
            { next: sines(start) },
            {
              ...options,
              definition: 'lavis',
              promptTokens: [1],
            },
          );
          expect(tokens.join('')).toBe(lavis[index]);
        });
    }

  it("reports every token's log-probability under the model itself, whatever the rules change", async () => {
    for (const { settings, lavis } of reference)
      for (const start of [3, 5, 8])
        for (const definition of lavis ? (['huggingface', 'lavis'] as const) : (['huggingface'] as const))
          for (const readerOf of [(next: NextLogits) => ({ next }), ranked]) {
            const options = { ...defaultSearch, endTokens: [2], ...settings, definition };
            const rules = { ...options, promptTokens: [1, start] };
            const { tokens, logProbabilities } = await beamSearch(readerOf(sines(start)), rules);
            const expected = await logProbabilitiesUnder(sines(start), tokens);
            expect(logProbabilities).toHaveLength(tokens.length);
            expected.forEach((each, place) => expect(logProbabilities[place]).toBeCloseTo(each, 5));
          }
  });

  it('ends a text with the token that ended it, if there are several, by the definition lavis', async () => {
    const options = { ...short, endTokens: [0, 2], beams: 2, definition: 'lavis' } as const;
    const next: NextLogits = async (beams) =>
      beams.length === 0 ? [logs([0, 1, 0])] : [logs([0, 0.1, 0.9])];
    const { tokens, logProbabilities } = await beamSearch({ next }, options);
    expect(tokens).toEqual([1, 2]);
    expect(logProbabilities[1]).toBeCloseTo(Math.log(0.9), 6);
  });

  // P(1) = 0.6, then P(end) = 0.5 at best: 0.30. P(0) = 0.4, then P(end) = 1: 0.40.
  const garden: NextLogits = async (beams) => {
    if (beams.length === 0) return [logs([0.4, 0.6, 0])];
    return beams.map(({ token }) => (token === 0 ? logs([0, 0, 1]) : logs([0.25, 0.25, 0.5])));
  };
  const short = { ...defaultSearch, maxNewTokens: 2, endTokens: [2], promptTokens: [], lengthPenalty: 0 };

  it('finds a text that greedy search misses', async () => {
    expect((await beamSearch({ next: garden }, { ...short, beams: 1 })).tokens).toEqual([1, 2]);
    expect((await beamSearch({ next: garden }, { ...short, beams: 2 })).tokens).toEqual([0, 2]);
  });

  /**
   * Two beams, three new tokens, length penalty 1, worked by hand.
   * Step 1: [0] 0.5 and [1] 0.3 continue, the end (0.2, third) is dropped. Step 2: [1, end] 0.27 is first and finishes
   * with ln 0.27 / 2 = −0.655 (begin token and 1 count); [0, 1] 0.25 and [0, 0] 0.05 continue, [0, end] 0.20 is third and
   * dropped. Step 3: [0, 1, 0] 0.125, [0, 1, end] 0.10 finishes with ln 0.10 / 3 = −0.768. Not done: ln 0.125 / 4 = −0.520
   * can improve on it. So the open [0, 1, 0] competes with −0.520, and wins. Hugging Face counts three tokens, ln 0.125 /
   * 3 = −0.693, and takes [1, end].
   */
  const byHand: Record<string, number[]> = {
    '': [0.5, 0.3, 0.2],
    '0': [0.1, 0.5, 0.4],
    '1': [0.05, 0.05, 0.9],
    '01': [0.5, 0.1, 0.4],
    '00': [0.05, 0.05, 0.9],
  };

  it('lets open beams compete at the end, as LAVIS does and Hugging Face does not', async () => {
    const options = { ...short, beams: 2, maxNewTokens: 3, lengthPenalty: 1 };
    const table = (): NextScores => {
      let texts = [''];
      return {
        next: async (beams) => {
          if (beams.length > 0) texts = beams.map(({ parent, token }) => `${texts[parent]}${token}`);
          return texts.map((text) => logs(byHand[text]!));
        },
      };
    };
    const found = async (definition: SearchOptions['definition']) =>
      (await beamSearch(table(), { ...options, definition })).tokens;
    expect(await found('lavis')).toEqual([0, 1, 0]);
    expect(await found('huggingface')).toEqual([1, 2]);
  });

  it('finds the same texts from rankings as from logits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 3, max: 8 }),
        fc.record({
          definition: fc.constantFrom('huggingface' as const, 'lavis' as const),
          beams: fc.integer({ min: 1, max: 4 }),
          minNewTokens: fc.integer({ min: 0, max: 4 }),
          lengthPenalty: fc.double({ min: -2, max: 2, noNaN: true }),
          repetitionPenalty: fc.double({ min: 0.5, max: 3, noNaN: true }),
          earlyStopping: fc.constantFrom(true, false, 'never' as const),
        }),
        async (start, settings) => {
          const options = {
            ...defaultSearch,
            ...settings,
            endTokens: [2],
            maxNewTokens: 8,
            promptTokens: [1, start],
          };
          const fromLogits = await beamSearch({ next: sines(start) }, options);
          const { tokens, logProbabilities } = await beamSearch(ranked(sines(start)), options);
          expect(tokens).toEqual(fromLogits.tokens);
          logProbabilities.forEach((each, place) =>
            expect(each).toBeCloseTo(fromLogits.logProbabilities[place]!, 5),
          );
        },
      ),
    );
  });

  it('rejects meaningless settings, naming them', async () => {
    await expect(beamSearch({ next: garden }, { ...short, beams: 0 })).rejects.toThrow(
      /beams must be a positive integer, got 0/,
    );
    await expect(beamSearch({ next: garden }, { ...short, repetitionPenalty: 0 })).rejects.toThrow(
      /repetitionPenalty/,
    );
  });

  it('tells the model which beam each new beam continues', async () => {
    const parents: number[][] = [];
    const next: NextLogits = async (beams) => {
      parents.push(beams.map(({ parent }) => parent));
      // every token after token 0 is more likely than any after token 1
      if (beams.length === 0) return [logs([0.55, 0.45, 0])];
      return beams.map(({ token }) => (token === 0 ? logs([0.5, 0.5, 0]) : logs([0.3, 0.3, 0.4])));
    };
    await beamSearch({ next }, { ...short, beams: 2, maxNewTokens: 3 });
    expect(parents).toEqual([[], [0, 0], [0, 0]]);
  });
});

function logs(probabilities: readonly number[]): Float32Array {
  return Float32Array.from(probabilities, Math.log);
}

/** For each token of a text: ln of softmax. */
async function logProbabilitiesUnder(next: NextLogits, tokens: readonly number[]): Promise<number[]> {
  const found: number[] = [];
  for (const [place, token] of tokens.entries()) {
    const [row] = await next(place === 0 ? [] : [{ parent: 0, token: tokens[place - 1]! }]);
    found.push(Math.log(Math.exp(row![token]!) / row!.reduce((sum, logit) => sum + Math.exp(logit), 0)));
  }
  return found;
}

/** A reader that gives only the logits it is asked for, unless rules need all. */
function ranked(next: NextLogits): NextScores {
  return {
    next,
    best: async (beams, count) =>
      (await next(beams)).map((row) => {
        const total = row.reduce((sum, logit) => sum + Math.exp(logit), 0);
        const tokens = [...row.keys()].sort((a, b) => row[b]! - row[a]!).slice(0, count);
        return { tokens, logProbabilities: Float32Array.from(tokens, (t) => row[t]! - Math.log(total)) };
      }),
  };
}
