/** Settings of a search. */
import type { Endings } from './generated-text.ts';
import type { ScoreRules } from './score-rules.ts';

export interface SearchOptions extends ScoreRules, Endings {
  readonly definition: 'huggingface' | 'lavis';
  readonly beams: number;
  readonly maxNewTokens: number;
  /** scores are divided by length^penalty: positive favours long texts, 0 compares sums */
  readonly lengthPenalty: number;
  /** true: stop at `beams` finished texts; false: the usual heuristic; 'never': only when none can improve */
  readonly earlyStopping: boolean | 'never';
}

/** Hugging Face's defaults, for one end token; greedy. */
export const defaultSearch: Omit<SearchOptions, 'endTokens' | 'promptTokens' | 'maxNewTokens'> = {
  definition: 'huggingface',
  beams: 1,
  biases: [],
  minNewTokens: 0,
  lengthPenalty: 1,
  repetitionPenalty: 1,
  earlyStopping: false,
  hasStopped: null,
  allowed: null,
};
