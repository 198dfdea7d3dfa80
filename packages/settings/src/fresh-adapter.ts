/**
 * New adapters, for training that starts without one. Those of the published reinforcement-learning code have no
 * dropout here: a ratio must compare two policies, not one with its dropout masks.
 */
import type { PpoPresetName } from '@emac/algorithms';

/** Settings of a new adapter of the language model; `targets` as in `--lora-targets`. */
export interface FreshAdapter {
  readonly rank: number;
  readonly alpha: number;
  readonly dropout: number;
  readonly targets: string;
}

/** The default new adapter of the language model. */
export const defaultAdapter: FreshAdapter = { rank: 8, alpha: 16, dropout: 0, targets: 'all-linear' };

/**
 * A preset's new adapter: RL4VLM's on all linear layers, its MiniGrid fork's on those below attention, VLA-RL's on all
 * linear layers.
 */
export function adapterOfPreset(name: PpoPresetName): FreshAdapter {
  if (name === 'tiny') return defaultAdapter;
  if (name === 'vlarl') return { rank: 32, alpha: 16, dropout: 0, targets: defaultAdapter.targets };
  const targets = name === 'minigrid' ? 'q_proj,k_proj,v_proj' : defaultAdapter.targets;
  return { rank: 128, alpha: 256, dropout: 0, targets };
}
