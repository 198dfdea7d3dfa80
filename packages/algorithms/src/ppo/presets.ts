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

interface Differences {
  readonly environments?: number;
  readonly environmentSteps: number;
  readonly stepsPerUpdate?: number;
  readonly minibatchSize?: number;
  readonly discount?: number;
  readonly entropyCoefficient?: number;
  readonly learningRate?: number;
  readonly epochs?: number;
}

function preset({
  environments = 8,
  environmentSteps,
  stepsPerUpdate = 128,
  minibatchSize = 256,
  discount = 0.99,
  entropyCoefficient = 0.01,
  learningRate = 1e-3, // rl-starter-files
  epochs = 4, // CleanRL, rl-starter-files
}: Differences): PpoPreset {
  return {
    environments,
    settings: {
      play: { environmentSteps, stepsPerUpdate, temperature: 1 },
      advantages: {
        discount,
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
        entropyCoefficient,
        valueCoefficient: 0.5,
        valueClip: 0.2, // CleanRL
      },
      optimization: {
        epochs,
        minibatchSize,
        learningRate,
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
    },
  };
}

const presets: Readonly<Record<string, PpoPreset>> = {
  'gym_cards/NumberLine-v0': preset({ environmentSteps: 20_000 }),
  'gym_cards/EZPoints-v0': preset({ environments: 16, environmentSteps: 400_000 }),
  // an episode is its reward: undiscounted, and many of them for one update
  'gym_cards/Blackjack-v0': preset({
    environments: 16,
    environmentSteps: 600_000,
    stepsPerUpdate: 256,
    minibatchSize: 512,
    discount: 1,
  }),
  'MiniGrid-Empty-Random-5x5-v0': preset({ environmentSteps: 150_000 }),
  'MiniGrid-DoorKey-5x5-v0': preset({ environments: 16, environmentSteps: 200_000 }),
  'MiniGrid-DoorKey-6x6-v0': preset({ environments: 16, environmentSteps: 400_000 }),
};

/** Published ids of environments that have settings of their own. */
export const presetEnvironments: readonly string[] = Object.keys(presets);

/** Errors: `usage` for an environment that has none. */
export function smallPpoPreset(id: string): PpoPreset {
  if (Object.hasOwn(presets, id)) return presets[id]!;
  throw new EmacError('usage', `PPO: no preset for ${id}, only for ${presetEnvironments.join(', ')}`);
}
