/**
 * Beam search over any function that gives next-token logits, for one prompt. Two definitions, because
 * published numbers depend on it:
 * - `huggingface`: `_beam_search` of transformers 4.57 (the repetition penalty covers prompt and new tokens,
 *   lengths count new tokens, the end token included);
 * - `lavis`: the BeamSearchScorer of transformers 4.28 as LAVIS calls it with embeddings only (the penalty
 *   covers the begin token and new tokens, lengths count the begin token and not the end token).
 * One beam is greedy search on raw logits in both.
 */
import { EmacError } from '@emac/core';

import { greedySearch } from './greedy-search.ts';
import { huggingFaceBeamSearch } from './huggingface-beam-search.ts';
import { lavisBeamSearch } from './lavis-beam-search.ts';

/** One live beam: it continues beam `parent` of the step before with `token`. */
export interface Beam {
  readonly parent: number;
  readonly token: number;
}

/**
 * Logits [V] for every beam; the first call has no beams and gives one row, after the prompt. The search may
 * change the rows it is given.
 */
export type NextLogits = (beams: readonly Beam[]) => Promise<readonly Float32Array[]>;

export interface SearchOptions {
  readonly definition: 'huggingface' | 'lavis';
  readonly beams: number;
  readonly maxNewTokens: number;
  readonly minNewTokens: number;
  /** scores are divided by length^penalty: positive favours long texts, 0 compares sums */
  readonly lengthPenalty: number;
  readonly repetitionPenalty: number;
  /** true: stop at `beams` finished texts; false: the usual heuristic; 'never': only when none can improve */
  readonly earlyStopping: boolean | 'never';
  /** tokens that end a text; the first is the one appended where a search has to choose */
  readonly endTokens: readonly number[];
  /** `huggingface`: the prompt's ids, image placeholders included; `lavis`: the begin token alone */
  readonly promptTokens: readonly number[];
}

/** Hugging Face's defaults, for one end token; greedy. */
export const defaultSearch: Omit<SearchOptions, 'endTokens' | 'promptTokens' | 'maxNewTokens'> = {
  definition: 'huggingface',
  beams: 1,
  minNewTokens: 0,
  lengthPenalty: 1,
  repetitionPenalty: 1,
  earlyStopping: false,
};

/** The new tokens of the best text, its end token included unless the length ran out. Errors: `usage`. */
export async function beamSearch(next: NextLogits, options: SearchOptions): Promise<number[]> {
  check(options);
  if (options.beams === 1) return greedySearch(next, options);
  return options.definition === 'lavis'
    ? lavisBeamSearch(next, options)
    : huggingFaceBeamSearch(next, options);
}

function check(options: SearchOptions): void {
  for (const key of ['beams', 'maxNewTokens'] as const)
    if (!Number.isInteger(options[key]) || options[key] < 1)
      throw new EmacError('usage', `generation: ${key} must be a positive integer, got ${options[key]}`);
  if (!(options.repetitionPenalty > 0))
    throw new EmacError(
      'usage',
      `generation: repetitionPenalty must be > 0, got ${options.repetitionPenalty}`,
    );
  if (!Number.isFinite(options.lengthPenalty))
    throw new EmacError('usage', `generation: lengthPenalty must be a number, got ${options.lengthPenalty}`);
}
