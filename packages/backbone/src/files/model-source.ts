/** What a model is opened from, whichever way its files are laid out. */
import type { Family } from '../families/family.ts';
import type { Companions } from './companions.ts';
import type { ModelConfig } from './model-config.ts';
import type { TensorTable } from './tensor-table.ts';

export interface ModelSource {
  readonly family: Family;
  readonly config: ModelConfig;
  readonly tensors: TensorTable;
  readonly companions: Companions;
  /** false where the Q-Former was saved without what reads text */
  readonly readsText: boolean;
}
