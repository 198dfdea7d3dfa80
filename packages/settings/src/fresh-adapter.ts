/**
 * Adapters where training starts without one. Those of the published code of reinforcement learning drop nothing here: a ratio compares two policies,
 * not one with its halves.
 */
import type { PpoPresetName } from '@emac/algorithms';

/** A newly drawn adapter of the language model; `targets` as `--lora-targets` takes them. */
export interface FreshAdapter {
  readonly rank: number;
  readonly alpha: number;
  readonly dropout: number;
  readonly targets: string;
}

/** An adapter of the language model where training starts without one. */
export const defaultAdapter: FreshAdapter = { rank: 8, alpha: 16, dropout: 0, targets: 'all-linear' };

/** The adapter that a preset draws where training starts without one: of RL4VLM all linear layers, of its fork for MiniGrid those below attention; of VLA-RL all linear layers. */
export function adapterOfPreset(name: PpoPresetName): FreshAdapter {
  if (name === 'tiny') return defaultAdapter;
  if (name === 'vlarl') return { rank: 32, alpha: 16, dropout: 0, targets: defaultAdapter.targets };
  const targets = name === 'minigrid' ? 'q_proj,k_proj,v_proj' : defaultAdapter.targets;
  return { rank: 128, alpha: 256, dropout: 0, targets };
}
