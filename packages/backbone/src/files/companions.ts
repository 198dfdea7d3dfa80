/** The files beside a model's weights. */

/** Files that decide the networks' inputs and outputs; they need not exist. */
export interface Companions {
  readonly tokenizer: string;
  readonly qformerTokenizer: string;
  readonly imageProcessor: string;
  readonly generation: string;
  /** the token that begins every text; null: the tokenizer's files decide */
  readonly beginToken: string | null;
}
