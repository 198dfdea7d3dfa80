/** A generated text: token ids, each with its log-probability and entropy under the model itself. */
export interface GeneratedText {
  /** new token ids, the end token included unless the length limit ended the text */
  readonly tokens: readonly number[];
  /**
   * of each token after all tokens before it: natural logarithm of its probability under the model itself, a softmax of
   * the raw logits at the sampling temperature (1 in a search), before score rules, truncation and lists; float32 values
   */
  readonly logProbabilities: readonly number[];
}

export interface DrawnText extends GeneratedText {
  /** of the distribution at each token, as above: −Σ p log p in nats; float32 values */
  readonly entropies: readonly number[];
  /** where the distributions are over lists: for each token the ids that it was chosen from */
  readonly possible?: readonly (readonly number[])[];
}

export const emptyText: GeneratedText = { tokens: [], logProbabilities: [] };

/** The text with one more token. */
export function continued(
  { tokens, logProbabilities }: GeneratedText,
  token: number,
  logProbability: number,
): GeneratedText {
  return { tokens: [...tokens, token], logProbabilities: [...logProbabilities, logProbability] };
}

/** What ends a text before the length limit. */
export interface Endings {
  /** tokens that end a text */
  readonly endTokens: readonly number[];
  /** whether a text has ended without such a token; null: never */
  readonly hasStopped: ((tokens: readonly number[]) => boolean) | null;
}

/** Whether a text of at least one token is complete. */
export function hasEnded(tokens: readonly number[], { endTokens, hasStopped }: Endings): boolean {
  return endTokens.includes(tokens.at(-1)!) || (hasStopped?.(tokens) ?? false);
}
