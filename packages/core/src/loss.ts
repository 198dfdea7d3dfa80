/**
 * A loss as a formula over any arithmetic: the same words are carried by plain numbers, tfjs tensors and the nodes of a
 * graph that is differentiated. Numbers in a formula (`beta`, a reference's log-probabilities) are fed to a graph as
 * inputs, so that a graph is built once for each form of a loss and not for each value.
 */

/** The operations that losses are made of, element by element; operands have equal shapes. */
export interface Arithmetic<T> {
  add(a: T, b: T): T;
  subtract(a: T, b: T): T;
  multiply(a: T, b: T): T;
  /** every element times a number */
  scale(a: T, factor: number): T;
  /** every element plus a number */
  shift(a: T, offset: number): T;
  /** eᵃ */
  exp(a: T): T;
  /** log σ(a) = −log(1 + e⁻ᵃ) */
  logSigmoid(a: T): T;
  /** max(a, 0) */
  relu(a: T): T;
}

/** What a loss reads of each token of an answer. */
export interface TokenTerms<T> {
  /** log-probability of the token, in nats */
  readonly logProbability: T;
  /** of the distribution that the token is drawn from, in nats; computed where a formula reads it */
  readonly entropy: T;
  /** the number that the row gives for this token under that name */
  constant(name: string): T;
}

/** What a loss reads of each row. */
export interface AnswerTerms<T> {
  /** of each answer of the row, pooled over its tokens, in nats */
  readonly logProbabilities: readonly T[];
  /** of each answer of the row: the mean over its tokens of the entropy at each, in nats; computed where a formula reads it */
  readonly entropies: readonly T[];
  /** the number that the row gives under that name */
  constant(name: string): T;
}

/** A loss of single tokens: every row has one answer, and the formula gives a value for each of its tokens. */
export interface TokenLoss {
  readonly over: 'tokens';
  formula<T>(arithmetic: Arithmetic<T>, token: TokenTerms<T>): T;
}

/** A loss of whole answers: every row has `answers` of them, and the formula gives a value for the row. */
export interface AnswerLoss {
  readonly over: 'answers';
  /** answers of a row */
  readonly answers: number;
  /**
   * an answer's log-probability is the mean over its tokens, their sum, or their sum with the factors that the row gives
   * under that name, one for each token (of a loss of one answer)
   */
  readonly pooling: 'mean' | 'sum' | { readonly factors: string };
  formula<T>(arithmetic: Arithmetic<T>, row: AnswerTerms<T>): T;
}

export type Loss = TokenLoss | AnswerLoss;

/** What a loss reads of each prompt that is given a value. */
export interface ValueTerms<T> {
  readonly value: T;
  /** the number that the row gives under that name */
  constant(name: string): T;
}

/** A loss of values: the formula gives a term for each prompt. */
export interface ValueLoss {
  readonly over: 'values';
  formula<T>(arithmetic: Arithmetic<T>, prompt: ValueTerms<T>): T;
}
