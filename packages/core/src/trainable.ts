/**
 * What learns: named parameters, the probabilities of answers under them, and the gradient of a loss. A method (imitation,
 * DPO, PPO, GRPO) is a loss and a way to choose rows; it knows no network.
 */
import type { Loss } from './loss.ts';
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
  /** by names that no other group has (`language_projection.weight` …); the arrays are live, `commit` makes changes count */
  readonly parameters: ParameterSet;
  /** the learning rate of a step is multiplied with this */
  readonly learningRateScale: number;
}

/** An answer to score: ids as they were sampled, or a text, which gets the ids that it will have in the history and an end token. */
export type Completion = string | readonly number[];

/** A prompt with answers to it; none of them sees another. */
export interface ScoredRow {
  readonly prompt: Prompt;
  readonly answers: readonly Completion[];
  /** above 0, divides the logits: the one that the answers were drawn at, so that they are scored as drawn; default 1 */
  readonly temperature?: number;
}

/** An answer's tokens under the distribution that each is drawn from, truncated by nothing. */
export interface TokenScores {
  /** of each token, in nats */
  readonly logProbabilities: Float32Array;
  /** of the distribution at each token's place, in nats */
  readonly entropies: Float32Array;
}

export interface GradientRow extends ScoredRow {
  /** weight of this row's terms in the loss Σ weight · term: of each token, or of the row as a whole */
  readonly weight: number;
  /** numbers that the loss asks for by name: one for the row, or one for each token of its answer; none by default */
  readonly constants?: Readonly<Record<string, number | ArrayLike<number>>>;
}

export interface Gradient {
  /** Σ weight · term over all rows */
  readonly loss: number;
  /** of every parameter, by name */
  readonly gradients: ReadonlyMap<string, Float32Array>;
  /** what the loss read of each row, in nats: each answer's pooled log-probability, or each token's */
  readonly logProbabilities: readonly (readonly number[])[];
}

export interface Scorer {
  /** Log-probability of each token of every answer, in nats, row by row. Errors: `data` where a row has too many tokens, `usage` for a temperature that is none. */
  score(rows: readonly ScoredRow[]): Promise<readonly (readonly Float32Array[])[]>;
  /** The same with the entropy at each token. */
  scoreWithEntropy(rows: readonly ScoredRow[]): Promise<readonly (readonly TokenScores[])[]>;
}

export interface Trainable extends Scorer {
  readonly groups: readonly ParameterGroup[];
  /** Tokens of an answer's text, end token included: as many as `score` gives numbers. */
  countAnswerTokens(text: string): number;
  /** The gradient of a loss of `losses`. Errors: as `score`; `internal` where a row lacks what the loss reads. */
  gradient(rows: readonly GradientRow[], loss: Loss): Promise<Gradient>;
  /** Says that parameters were changed in place. */
  commit(): void;
}

/** All parameters by name. */
export function parametersOf({ groups }: Pick<Trainable, 'groups'>): ParameterSet {
  return new Map(groups.flatMap(({ parameters }) => [...parameters]));
}
