/** An opened model's parts, the same for every layout of its files. */
import type { Family } from '../families/family.ts';
import type { Companions } from './companions.ts';
import type { ModelConfig } from './model-config.ts';
import type { TensorTable } from './tensor-table.ts';

export interface ModelSource {
  readonly family: Family;
  readonly config: ModelConfig;
  readonly tensors: TensorTable;
  readonly companions: Companions;
  /** false if the Q-Former was saved without its text weights */
  readonly readsText: boolean;
}
