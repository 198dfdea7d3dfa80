/**
 * Who decides what to do. Prompts come in batches, since batches over episodes under way are what makes acting fast; what is decided
 * for one prompt does not depend on the others in its batch.
 */
import type { Frame } from './observation.ts';
import type { Features, Prompt } from './prompt.ts';
import type { Random } from './random.ts';

/** How an answer is chosen. */
export type Sampling =
  /** the likeliest of a beam search; one beam is greedy search */
  | { readonly kind: 'search'; readonly beams: number }
  /**
   * drawn token by token: `temperature` above 0 divides the logits, then the `topK` likeliest tokens are kept (absent:
   * all), then the nucleus of probability `topP`
   */
  | {
      readonly kind: 'sample';
      readonly temperature: number;
      readonly topP: number;
      readonly topK?: number;
    };

export interface Question {
  readonly prompt: Prompt;
  /** the only answers to choose from; null for any text */
  readonly allowed: readonly string[] | null;
  /** what a sampled answer is drawn with, one generator for each question; null where nothing is drawn */
  readonly random: Random | null;
  /** texts, none of them empty, that end an answer, which then has what comes before the first of them; none by default */
  readonly stop?: readonly string[];
}

/** What was said. A categorical policy answers with the name of an action and its one id. */
export interface Answer {
  /** without special tokens, as generated, up to a stop text */
  readonly text: string;
  /**
   * ids as they were chosen, with the end token or what brought a stop text, unless the length ran out: these are scored
   * later, not the text
   */
  readonly tokens: readonly number[];
  /**
   * natural logarithm of each token's probability under the model's whole distribution, a softmax of its logits divided by
   * the temperature that the token was drawn at (1 in a search): before `topK`, `topP`, lists and rules of length, which
   * only restrict what is drawn
   */
  readonly logProbabilities: readonly number[];
  /** of each drawn token: the entropy of that distribution, in nats; absent where nothing was drawn */
  readonly entropies?: readonly number[];
}

export interface Policy {
  /** What the policy sees in a picture, for prompts. */
  encode(frame: Frame): Promise<Features>;
  /** One answer to each question; questions with equal prompts share the reading of it. Errors: `data` for a prompt without room for an answer, `usage` for invalid settings. */
  decide(questions: readonly Question[], sampling: Sampling): Promise<readonly Answer[]>;
  /** Tokens of a prompt's text as the model reads it, begin token included. */
  countPromptTokens(text: string): number;
}
