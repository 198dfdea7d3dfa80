/**
 * The seam between search and execution: a search decides which texts continue, a reader computes the scores of
 * possible next tokens. A search knows no sessions and a reader no rules, so any execution works with any search.
 */

import type { AdapterValues } from '../../networks/adapter-feeds.ts';
import type { PromptLayout } from './prompt-layout.ts';

export interface Prompt {
  /** visual tokens [N, D]; absent: none */
  readonly visual?: Float32Array;
  /** their features for the first layers of a model with a deep stack, [N, layers · D] */
  readonly deep?: Float32Array;
  /** ids of the text, begin token included */
  readonly tokens: readonly number[];
  /** their places; absent: visual tokens before the text */
  readonly layout?: PromptLayout;
  /** the adapter for reading and continuing it; default the base alone */
  readonly adapter?: AdapterValues | null;
}

/** One live beam: it continues beam `parent` of the previous step with `token`. */
export interface Beam {
  readonly parent: number;
  readonly token: number;
}

/** Logits [V] for every beam; the first call has no beams and gives one row, after the prompt. */
export type NextLogits = (beams: readonly Beam[]) => Promise<readonly Float32Array[]>;

/** The most likely continuations of one beam, best first. */
export interface Ranking {
  readonly tokens: readonly number[];
  /** of those tokens, over the whole vocabulary */
  readonly logProbabilities: Float32Array;
}

/** The part of a reader that a search uses. */
export type NextScores = Pick<PromptReader, 'next' | 'best'>;

/** Reads one prompt and then its beams, step by step; calls never overlap. */
export interface PromptReader {
  readonly next: NextLogits;
  /**
   * The same step, answered by the `count` most likely continuations of every beam (fewer if the vocabulary is
   * smaller). Readers without this method are asked for logits.
   */
  readonly best?: (beams: readonly Beam[], count: number) => Promise<readonly Ranking[]>;
  /** frees the keys and values of the prompt and its beams */
  release(): void;
}

/** A language model ready to read prompts, several concurrently if wanted. */
export interface PromptExecution {
  /** Read errors are thrown by the reader's own calls. */
  read(prompt: Prompt): PromptReader;
  /**
   * Prompts of any lengths with their steps computed together: a step begins once every unreleased reader has been
   * called. Executions without this method read prompts one by one.
   */
  readonly readTogether?: (prompts: readonly Prompt[]) => readonly PromptReader[];
  dispose(): Promise<void>;
}
