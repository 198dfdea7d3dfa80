/**
 * A loss as a formula over any arithmetic: the same formula runs on plain numbers, tfjs tensors and graph nodes.
 * Numbers in a formula (`beta`, a reference's log-probabilities) become graph inputs, so a graph is built once per form
 * of a loss and not per value.
 */

/** The elementwise operations of losses; operands have equal shapes. */
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
  /** log(1 − eᵃ), for a below 0: the logarithm of the complement of a probability eᵃ */
  logComplement(a: T): T;
  /** max(a, 0) */
  relu(a: T): T;
}

/** The terms that a loss reads of each token of an answer. */
export interface TokenTerms<T> {
  /** log-probability of the token, in nats */
  readonly logProbability: T;
  /** entropy of the token's distribution, in nats; computed if a formula reads it */
  readonly entropy: T;
  /** the row's number for this token under that name */
  constant(name: string): T;
}

/** The terms that a loss reads of each row. */
export interface AnswerTerms<T> {
  /** of each answer of the row, pooled over its tokens, in nats */
  readonly logProbabilities: readonly T[];
  /** for each answer of the row, the mean entropy over its tokens, in nats; computed if a formula reads it */
  readonly entropies: readonly T[];
  /** the row's number under that name */
  constant(name: string): T;
}

/** A loss of single tokens: every row has one answer, and the formula gives a value per token. */
export interface TokenLoss {
  readonly over: 'tokens';
  formula<T>(arithmetic: Arithmetic<T>, token: TokenTerms<T>): T;
}

/** A loss of whole answers: every row has `answers` of them, and the formula gives a value per row. */
export interface AnswerLoss {
  readonly over: 'answers';
  /** answers of a row */
  readonly answers: number;
  /**
   * how an answer's log-probability is pooled: the mean over its tokens, their sum, or their sum weighted by the row's
   * factors of that name, one per token (for a loss of one answer)
   */
  readonly pooling: 'mean' | 'sum' | { readonly factors: string };
  formula<T>(arithmetic: Arithmetic<T>, row: AnswerTerms<T>): T;
}

export type Loss = TokenLoss | AnswerLoss;

/** The terms that a value loss reads of each prompt. */
export interface ValueTerms<T> {
  readonly value: T;
  /** the row's number under that name */
  constant(name: string): T;
}

/** A value loss: the formula gives a term per prompt. */
export interface ValueLoss {
  readonly over: 'values';
  formula<T>(arithmetic: Arithmetic<T>, prompt: ValueTerms<T>): T;
}
