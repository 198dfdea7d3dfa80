/** What a search or a draw gives: token ids, and what the model itself thought of each. */
export interface GeneratedText {
  /** new token ids, the end token included unless the length ran out */
  readonly tokens: readonly number[];
  /**
   * of each token, after all that stands before it: the natural logarithm of its probability under the model itself,
   * a softmax of the raw logits at temperature 1, before score rules, truncation and lists; float32 values
   */
  readonly logProbabilities: readonly number[];
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
