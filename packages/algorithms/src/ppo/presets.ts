/**
 * Settings of PPO for small networks, by environment, found by trial from a common beginning: CleanRL's numbers with the learning
 * rate of rl-starter-files. What they reach is told by `tools/src/small-ppo`.
 */
import { EmacError } from '@emac/core';
import type { PpoSettings } from './ppo-settings.ts';

export interface PpoPreset {
  /** stepped side by side */
  readonly environments: number;
  readonly settings: PpoSettings;
}

/** What most have in common. */
const common: PpoSettings = {
  play: { environmentSteps: 100_000, stepsPerUpdate: 128, temperature: 1 },
  advantages: {
    discount: 0.99,
    trace: 0.95,
    truncation: 'bootstrap', // a limit of steps is no end
    normalize: 'minibatch', // CleanRL
    normalizeEpsilon: 1e-8,
  },
  losses: {
    clip: { low: 0.2, high: 0.2 },
    credit: 'token', // an answer has one
    thoughtCoefficient: 1,
    ratioGuard: null, // RL4VLM's code alone has one
    entropyCoefficient: 0.01,
    valueCoefficient: 0.5,
    valueClip: 0.2, // CleanRL
  },
  optimization: {
    epochs: 4, // CleanRL, rl-starter-files
    minibatchSize: 256,
    learningRate: 1e-3, // rl-starter-files
    schedule: 'linear',
    finalShare: 0.1,
    decayUpdates: null,
    clipNorm: 0.5,
    valueInitSteps: 0,
    targetKl: null,
    betas: [0.9, 0.999],
    epsilon: 1e-5, // CleanRL, Stable-Baselines3
    weightDecay: 0,
  },
};

type Differences = { readonly [Group in keyof PpoSettings]?: Partial<PpoSettings[Group]> };

function preset(environments: number, { play, advantages, losses, optimization }: Differences): PpoPreset {
  return {
    environments,
    settings: {
      play: { ...common.play, ...play },
      advantages: { ...common.advantages, ...advantages },
      losses: { ...common.losses, ...losses },
      optimization: { ...common.optimization, ...optimization },
    },
  };
}

const presets: Readonly<Record<string, PpoPreset>> = {
  'gym_cards/NumberLine-v0': preset(8, { play: { environmentSteps: 20_000 } }),
  // one formula in 1,800 drawn at random is right, and all others cost 1: where advantages are stretched to deviation 1 the
  // noise between equal losses is, and entropy that is worth little ends in `=` at once
  'gym_cards/EZPoints-v0': preset(16, {
    play: { environmentSteps: 400_000 },
    advantages: { discount: 1, normalize: null },
    losses: { entropyCoefficient: 0.4, valueClip: null },
  }),
  // hands where both actions are worth nearly the same need many of them, and small steps at the end
  'gym_cards/Blackjack-v0': preset(16, {
    play: { environmentSteps: 1_000_000, stepsPerUpdate: 512 },
    advantages: { discount: 1, trace: 1 },
    optimization: { minibatchSize: 1024, finalShare: 0.02 },
  }),
  'MiniGrid-Empty-Random-5x5-v0': preset(8, { play: { environmentSteps: 150_000 } }),
  'MiniGrid-DoorKey-5x5-v0': preset(16, { play: { environmentSteps: 200_000 } }),
  'MiniGrid-DoorKey-6x6-v0': preset(16, { play: { environmentSteps: 400_000 } }),
};

/** Published ids of environments that have settings of their own. */
export const presetEnvironments: readonly string[] = Object.keys(presets);

/** Errors: `usage` for an environment that has none. */
export function smallPpoPreset(id: string): PpoPreset {
  if (Object.hasOwn(presets, id)) return presets[id]!;
  throw new EmacError('usage', `PPO: no preset for ${id}, only for ${presetEnvironments.join(', ')}`);
}
