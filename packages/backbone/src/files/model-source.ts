/** What a model is opened from, whichever way its files are laid out. */
import type { Family } from '../families/family.ts';
import type { ModelConfig } from './model-config.ts';
import type { TensorTable } from './tensor-table.ts';

/** Files that decide what the networks read and say; they need not exist. */
export interface Companions {
  readonly tokenizer: string;
  readonly qformerTokenizer: string;
  readonly imageProcessor: string;
  readonly generation: string;
  /** the token that every text begins with; null where the tokenizer's files decide */
  readonly beginToken: string | null;
}

export interface ModelSource {
  readonly family: Family;
  readonly config: ModelConfig;
  readonly tensors: TensorTable;
  readonly companions: Companions;
  /** false where the Q-Former was saved without what reads text */
  readonly readsText: boolean;
}
