/**
 * A trainable model: named parameters, log-probabilities of answers, and gradients of a loss. A method (imitation, DPO,
 * PPO, GRPO) is a loss and a way to choose rows; it knows no network.
 */
import type { Loss } from './loss.ts';
import type { PossibleTokens } from './policy.ts';
import type { Prompt } from './prompt.ts';

/** A trainable tensor, row by row. */
export interface Parameter {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export type ParameterSet = ReadonlyMap<string, Parameter>;

/** Parameters that share a learning rate: the projection, an adapter, a value head. */
export interface ParameterGroup {
  readonly name: string;
  /** by names unique among groups (`language_projection.weight` …); the arrays are live; call `commit` after changes */
  readonly parameters: ParameterSet;
  /** factor on a step's learning rate */
  readonly learningRateScale: number;
}

/** An answer to score: sampled ids, or a text. A text gets the ids that it will have in the history, and an end token. */
export type Completion = string | readonly number[];

/** Ids of which only some are scored and learned, such as the assistant's turns in the rest of a conversation. */
export interface PartlyScored {
  readonly tokens: readonly number[];
  /** for each id; one or more are true */
  readonly scored: readonly boolean[];
}

/** An answer to learn, all of it or a part. */
export type Target = Completion | PartlyScored;

/** The answers of a row, and which of their tokens are scored. */
export function answersTo(targets: readonly Target[]): Pick<ScoredRow, 'answers' | 'scored'> {
  const answers = targets.map((target) => (isPartly(target) ? target.tokens : target));
  if (!targets.some(isPartly)) return { answers };
  return { answers, scored: targets.map((target) => (isPartly(target) ? target.scored : null)) };
}

function isPartly(target: Target): target is PartlyScored {
  return typeof target !== 'string' && 'scored' in target;
}

/** A prompt with independent answers. */
export interface ScoredRow {
  readonly prompt: Prompt;
  readonly answers: readonly Completion[];
  /** above 0; divides the logits; use the answers' sampling temperature, so they are scored as sampled; default 1 */
  readonly temperature?: number;
  /**
   * for each answer the ids that its tokens were chosen from: log-probabilities and entropies are then those of the choice, a softmax
   * over these ids at each token; null or absent: over all
   */
  readonly possible?: readonly (PossibleTokens | null)[];
  /** for each answer of ids which of them are scored; null or absent: all */
  readonly scored?: readonly (readonly boolean[] | null)[];
}

/** An answer's tokens under their full distributions, without truncation. */
export interface TokenScores {
  /** of each token, in nats */
  readonly logProbabilities: Float32Array;
  /** of the distribution at each token's place, in nats */
  readonly entropies: Float32Array;
}

export interface GradientRow extends ScoredRow {
  /** weight of this row's terms in the loss Σ weight · term: of each token, or of the whole row */
  readonly weight: number;
  /** constants that the loss reads by name: one per row, or one per token of its answer; none by default */
  readonly constants?: Readonly<Record<string, number | ArrayLike<number>>>;
}

export interface Gradient {
  /** Σ weight · term over all rows */
  readonly loss: number;
  /** of every parameter, by name */
  readonly gradients: ReadonlyMap<string, Float32Array>;
  /** values that the loss read of each row, in nats: each answer's pooled log-probability, or each token's */
  readonly logProbabilities: readonly (readonly number[])[];
}

export interface Scorer {
  /** Log-probability of each scored token of every answer, in nats, row by row. Errors: `data` if a row has too many tokens, `usage` for an invalid temperature. */
  score(rows: readonly ScoredRow[]): Promise<readonly (readonly Float32Array[])[]>;
  /** The same with the entropy at each token. */
  scoreWithEntropy(rows: readonly ScoredRow[]): Promise<readonly (readonly TokenScores[])[]>;
}

export interface Trainable extends Scorer {
  readonly groups: readonly ParameterGroup[];
  /** Number of tokens of an answer's text, end token included: as many as `score` returns. */
  countAnswerTokens(text: string): number;
  /** The gradient of a loss. Errors: as `score`; `internal` if a row lacks a constant that the loss reads. */
  gradient(rows: readonly GradientRow[], loss: Loss): Promise<Gradient>;
  /** Declares that parameters were changed in place. */
  commit(): void;
}

/** All parameters by name. */
export function parametersOf({ groups }: Pick<Trainable, 'groups'>): ParameterSet {
  return new Map(groups.flatMap(({ parameters }) => [...parameters]));
}
