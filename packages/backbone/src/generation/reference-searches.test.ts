import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { beamSearch } from './search/beam-search.ts';
import { defaultSearch, type SearchOptions } from './search/search-options.ts';
import { logSoftmax } from './search/log-softmax.ts';
import type { Beam, NextLogits, NextScores, Ranking } from './prompts/prompt-reader.ts';

interface Search {
  readonly table: number;
  readonly definition: 'huggingface' | 'lavis';
  readonly num_beams: number;
  readonly max_new_tokens: number;
  readonly min_new_tokens: number;
  readonly length_penalty: number;
  readonly repetition_penalty: number;
  readonly early_stopping: boolean | 'never';
  readonly tokens: readonly number[];
}

/** Searches over tables of logits by transformers and by LAVIS's definition; made by `tools/reference`. */
const fixture = JSON.parse(
  readFileSync(new URL('../../fixtures/searches.json', import.meta.url), 'utf8'),
) as {
  readonly begin: number;
  readonly end: number;
  /** [length][last token][V] */
  readonly tables: readonly (readonly (readonly number[])[])[][];
  readonly searches: readonly Search[];
};

describe.each(['huggingface', 'lavis'] as const)('beam search by the definition %s', (definition) => {
  const searches = fixture.searches.filter((search) => search.definition === definition);

  it.each([
    ['logits', logitsOnly],
    ['the best tokens', ranking],
  ] as const)('finds the same tokens from %s for every setting', async (_, readerOf) => {
    expect(searches.length).toBeGreaterThan(100);
    for (const { tokens, ...search } of searches) {
      const ours = await beamSearch(readerOf(search.table), optionsOf(search));
      expect({ ...search, tokens: ours.tokens }).toEqual({ ...search, tokens });
    }
  });
});

function optionsOf(search: Omit<Search, 'tokens'>): SearchOptions {
  return {
    ...defaultSearch,
    definition: search.definition,
    beams: search.num_beams,
    maxNewTokens: search.max_new_tokens,
    minNewTokens: search.min_new_tokens,
    lengthPenalty: search.length_penalty,
    repetitionPenalty: search.repetition_penalty,
    earlyStopping: search.early_stopping,
    endTokens: [fixture.end],
    promptTokens: [fixture.begin],
  };
}

/** Logits by the number of tokens so far and the last token. */
function lookUp(table: number): NextLogits {
  let length = 0;
  return (beams) => {
    const rows = fixture.tables[table]![length++]!;
    const last = beams.length === 0 ? [fixture.begin] : beams.map(({ token }) => token);
    return Promise.resolve(last.map((token) => Float32Array.from(rows[token]!)));
  };
}

function logitsOnly(table: number): NextScores {
  return { next: lookUp(table) };
}

/** The same, for searches that request only the best tokens. */
function ranking(table: number): NextScores {
  const next = lookUp(table);
  const best = async (beams: readonly Beam[], count: number): Promise<Ranking[]> => {
    const rows = (await next(beams)).map(logSoftmax);
    return rows.map((row) => {
      const tokens = [...row.keys()].sort((a, b) => row[b]! - row[a]!).slice(0, count);
      return { tokens, logProbabilities: Float32Array.from(tokens, (token) => row[token]!) };
    });
  };
  return { next, best };
}
