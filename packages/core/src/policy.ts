/**
 * A policy chooses actions. Prompts come in batches, because batching over running episodes makes acting fast; a decision for one
 * prompt does not depend on the others in its batch.
 */
import type { Fact } from './fact.ts';
import type { Frame, Observation } from './observation.ts';
import type { Features, Prompt } from './prompt.ts';
import type { Random } from './random.ts';
import type { AskedTool } from './tool-call.ts';

/** How an answer is chosen. */
export type Sampling =
  /** the best result of beam search; one beam is greedy search */
  | { readonly kind: 'search'; readonly beams: number }
  /**
   * sampled token by token: `temperature` above 0 divides the logits, then the `topK` most likely tokens are kept
   * (absent: all), then the nucleus of probability `topP`
   */
  | {
      readonly kind: 'sample';
      readonly temperature: number;
      readonly topP: number;
      readonly topK?: number;
      /**
       * the distribution whose log-probabilities and entropies an answer gives, where a question has a list of answers: the model's
       * whole one, or at each token the tokens that the list can go on with, so that the listed answers' probabilities sum to 1;
       * default `all`
       */
      readonly over?: 'all' | 'allowed';
    };

/** What an answer must be: tokens that lead elsewhere are not chosen. */
export type AnswerConstraint =
  /** JSON by a schema, every keyword of which is heeded if it is strict (null: any object), or a call of one of these tools */
  | {
      readonly kind: 'json';
      readonly schema: { readonly [name: string]: Fact } | null;
      readonly isStrict: boolean;
      readonly orCalls?: readonly AskedTool[];
    }
  /** one call of one of these tools, in the form of the chat template */
  | { readonly kind: 'call'; readonly tools: readonly AskedTool[] };

export interface Question {
  readonly prompt: Prompt;
  /** the only answers to choose from; null for any text */
  readonly allowed: readonly string[] | null;
  /** random generator of a sampled answer, one per question; null without sampling */
  readonly random: Random | null;
  /** non-empty texts that end an answer; the answer is the text before the first of them; none by default */
  readonly stop?: readonly string[];
  /** what an answer must be, up to its length limit; absent: any text, or one of `allowed` */
  readonly form?: AnswerConstraint;
  /** longest answer in tokens, if it is below the policy's own limit; absent: that one */
  readonly maxTokens?: number;
}

/** A policy's answer. A categorical policy returns the name of an action and its one id. */
export interface Answer {
  /** without special tokens, as generated, up to a stop text */
  readonly text: string;
  /**
   * ids as they were chosen, with the end token or the tokens of a stop text, unless the length limit ended it: scoring
   * uses these, not the text
   */
  readonly tokens: readonly number[];
  /**
   * natural logarithm of each token's probability under the model's whole distribution: a softmax of its logits divided by
   * the token's sampling temperature (1 in a search), before `topK`, `topP`, lists and length rules, which only restrict
   * the choice; with `over: 'allowed'` under the distribution over a question's list
   */
  readonly logProbabilities: readonly number[];
  /** for each sampled token, the entropy of that distribution, in nats; absent without sampling */
  readonly entropies?: readonly number[];
  /** with `over: 'allowed'`: for each token the ids, ascending, that it was chosen from */
  readonly possible?: PossibleTokens;
}

/** For each token of an answer the ids that it was chosen from. */
export type PossibleTokens = readonly (readonly number[])[];

export interface Policy {
  /** The policy's features of a picture, for prompts; null for a policy that reads text alone. */
  readonly encode: ((frame: Frame) => Promise<Features>) | null;
  /** The prompt of an observation for a policy that reads numbers. Absent: it reads pictures and a text. */
  promptOf?(observation: Observation): Prompt;
  /** One answer per question; questions with equal prompts share one reading. Errors: `data` for a prompt without room for an answer, `usage` for invalid settings. */
  decide(questions: readonly Question[], sampling: Sampling): Promise<readonly Answer[]>;
  /** Tokens of a prompt's text as the model reads it, begin token included. */
  countPromptTokens(text: string): number;
}
