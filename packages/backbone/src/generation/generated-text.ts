/** What a search or a draw gives: token ids, and what the model itself thought of each. */
export interface GeneratedText {
  /** new token ids, the end token included unless the length ran out */
  readonly tokens: readonly number[];
  /**
   * of each token, after all that stands before it: the natural logarithm of its probability under the model itself,
   * a softmax of the raw logits at the temperature of the draw (1 in a search), before score rules, truncation and lists;
   * float32 values
   */
  readonly logProbabilities: readonly number[];
}

export interface DrawnText extends GeneratedText {
  /** of the distribution at each token, as above: −Σ p log p in nats; float32 values */
  readonly entropies: readonly number[];
}

export const emptyText: GeneratedText = { tokens: [], logProbabilities: [] };

/** The text with one token more. */
export function continued(
  { tokens, logProbabilities }: GeneratedText,
  token: number,
  logProbability: number,
): GeneratedText {
  return { tokens: [...tokens, token], logProbabilities: [...logProbabilities, logProbability] };
}

/** What ends a text before its length runs out. */
export interface Endings {
  /** tokens that end a text */
  readonly endTokens: readonly number[];
  /** whether a text has come to its end without such a token; null: none has */
  readonly hasStopped: ((tokens: readonly number[]) => boolean) | null;
}

/** Whether a text of one token or more goes on no further. */
export function hasEnded(tokens: readonly number[], { endTokens, hasStopped }: Endings): boolean {
  return endTokens.includes(tokens.at(-1)!) || (hasStopped?.(tokens) ?? false);
}
