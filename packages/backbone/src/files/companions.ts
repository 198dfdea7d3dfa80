/** What a model has beside its weights. */

/** Files that decide what the networks read and say; they need not exist. */
export interface Companions {
  readonly tokenizer: string;
  readonly qformerTokenizer: string;
  readonly imageProcessor: string;
  readonly generation: string;
  /** the token that every text begins with; null where the tokenizer's files decide */
  readonly beginToken: string | null;
}
