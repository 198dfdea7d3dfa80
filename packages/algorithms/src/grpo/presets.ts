/**
 * Settings of GRPO by name. `published-2b`, `-7b` and `-14b` are those of the Lewis game's trainer for models of such
 * sizes. Values missing in its document are the defaults of TRL 0.14, its basis. `tiny` was found by trial with the
 * shipped model. A departure: it accumulates gradients of one prompt each; here one gradient step covers as many
 * prompts.
 */
import type { GrpoSettings } from './grpo-settings.ts';

export const grpoPresetNames = ['tiny', 'published-2b', 'published-7b', 'published-14b'] as const;
export type GrpoPresetName = (typeof grpoPresetNames)[number];

export interface GrpoPreset {
  /** passes over all tasks; null if `settings.play.updates` sets the length */
  readonly epochs: number | null;
  readonly settings: GrpoSettings;
}

const published: GrpoSettings = {
  play: { updates: 1, promptsPerUpdate: 16, groupSize: 4, temperature: 1 },
  losses: { beta: 0.04, clip: null, scale: 'group', normalization: 'grpo', maxLength: 256 },
  optimization: {
    passes: 1,
    minibatchSize: null,
    microBatchSize: null,
    learningRate: 5e-7,
    warmup: 100,
    schedule: 'linear', // to 0, DeepSpeed's WarmupDecayLR
    finalShare: 0,
    clipNorm: 1,
    betas: [0.9, 0.95],
    epsilon: 1e-8,
    weightDecay: 0.1,
  },
};

const tiny: GrpoSettings = {
  play: { updates: 60, promptsPerUpdate: 16, groupSize: 8, temperature: 1 },
  losses: { beta: 0.02, clip: null, scale: 'group', normalization: 'grpo', maxLength: 96 },
  optimization: {
    ...published.optimization,
    learningRate: 3e-3,
    warmup: 0,
    finalShare: 0.1,
    betas: [0.9, 0.999],
    weightDecay: 0,
  },
};

/** Prompts of a gradient step, by the size of the model. */
const accumulated = { 'published-2b': 8, 'published-7b': 16, 'published-14b': 32 } as const;

/** The settings of a name. */
export function grpoPreset(name: GrpoPresetName): GrpoPreset {
  if (name === 'tiny') return { epochs: null, settings: tiny };
  const play = { ...published.play, promptsPerUpdate: accumulated[name] };
  return { epochs: 4, settings: { ...published, play } };
}
