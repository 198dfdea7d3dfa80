/**
 * The seam between search and execution: a search decides which texts go on, a reader computes what may follow
 * them. A search knows no sessions and a reader no scores, so every way of executing the language model serves
 * every way of searching.
 */

import type { AdapterValues } from '../networks/adapter-feeds.ts';
import type { PromptLayout } from './prompt-layout.ts';

export interface Prompt {
  /** visual tokens [N, D] */
  readonly visual: Float32Array;
  /** ids of the text, begin token included */
  readonly tokens: readonly number[];
  /** where they stand; absent: visual tokens before the text */
  readonly layout?: PromptLayout;
  /** what the language model reads and continues it under; default the base alone */
  readonly adapter?: AdapterValues | null;
}

/** One live beam: it continues beam `parent` of the step before with `token`. */
export interface Beam {
  readonly parent: number;
  readonly token: number;
}

/** Logits [V] for every beam; the first call has no beams and gives one row, after the prompt. */
export type NextLogits = (beams: readonly Beam[]) => Promise<readonly Float32Array[]>;

/** The likeliest continuations of one beam, best first. */
export interface Ranking {
  readonly tokens: readonly number[];
  /** of those tokens, over the whole vocabulary */
  readonly logProbabilities: Float32Array;
}

/** What a search needs of a reader. */
export type NextScores = Pick<PromptReader, 'next' | 'best'>;

/** Reads one prompt and then its beams, step by step; calls follow each other, never overlap. */
export interface PromptReader {
  readonly next: NextLogits;
  /**
   * The same step, answered by the `count` likeliest continuations of every beam (fewer where the vocabulary is
   * smaller). A reader without it is asked for logits instead.
   */
  readonly best?: (beams: readonly Beam[], count: number) => Promise<readonly Ranking[]>;
  /** gives up the keys and values of the prompt and its beams */
  release(): void;
}

/** A language model ready to read prompts, several at the same time if wanted. */
export interface PromptExecution {
  /** Errors of reading come from the reader's own calls. */
  read(prompt: Prompt): PromptReader;
  /**
   * Prompts of any lengths whose steps are computed together: a step begins when every reader that is not released
   * has been asked. An execution without it reads them one by one.
   */
  readonly readTogether?: (prompts: readonly Prompt[]) => readonly PromptReader[];
  dispose(): Promise<void>;
}
