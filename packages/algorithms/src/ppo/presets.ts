/**
 * Settings of PPO by name. `tiny` is for small networks: CleanRL's numbers with the learning rate of rl-starter-files,
 * adapted to each environment kind by trial. `tools/src/small-ppo` reports its results. It has other numbers for small
 * vision-language models that can already see and read; these need few updates. The others are for vision-language
 * models: RL4VLM's (arXiv 2405.10292) for the card games, its fork's for MiniGrid. `vlarl` follows a script of a public
 * VLA-RL fork (arXiv 2505.18719), for robots. Departures from these: entropy counts, truncation is bootstrapped, and
 * accumulated one-sample gradients are one minibatch.
 */
import type { PpoSettings } from './ppo-settings.ts';

export interface PpoPreset {
  /** stepped side by side */
  readonly environments: number;
  /** of an episode; null for the environment's own limit */
  readonly maxSteps: number | null;
  readonly settings: PpoSettings;
}

export const ppoPresetNames = ['tiny', 'nl', 'bj', 'ezp', 'p24', 'minigrid', 'vlarl'] as const;
export type PpoPresetName = (typeof ppoPresetNames)[number];

/** Shared by most presets. */
const common: PpoSettings = {
  play: { environmentSteps: 100_000, stepsPerUpdate: 128, temperature: 1 },
  advantages: {
    discount: 0.99,
    trace: 0.95,
    truncation: 'bootstrap', // a limit of steps is no end
    normalize: 'minibatch', // CleanRL
    normalizeEpsilon: 1e-8,
  },
  shaping: { actionFrequencyBonus: 0, utility: null, temporalPredictor: 0 }, // options of RL4VLM's fork, with bonuses of 0.00025
  losses: {
    policy: 'ppo',
    clip: { low: 0.2, high: 0.2 },
    credit: 'token', // an answer has one
    thoughtCoefficient: 1,
    ratioGuard: null, // RL4VLM's code alone has one
    entropyCoefficient: 0.01,
    valueCoefficient: 0.5,
    valueClip: 0.2, // CleanRL
  },
  optimization: {
    passes: 4, // CleanRL, rl-starter-files
    minibatchSize: 256,
    learningRate: 1e-3, // rl-starter-files
    schedule: 'linear',
    finalShare: 0.1,
    decayUpdates: null,
    valueSchedule: null,
    clipNorm: 0.5,
    valueClipNorm: null, // CleanRL, Stable-Baselines3: one norm of all
    valueInitSteps: 0,
    targetKl: null,
    betas: [0.9, 0.999],
    epsilon: 1e-5, // CleanRL, Stable-Baselines3
    weightDecay: 0,
  },
};

type Differences = { readonly [Group in keyof PpoSettings]?: Partial<PpoSettings[Group]> };

function changed(base: PpoSettings, differences: Differences): PpoSettings {
  const { play, advantages, shaping, losses, optimization } = differences;
  return {
    play: { ...base.play, ...play },
    advantages: { ...base.advantages, ...advantages },
    shaping: { ...base.shaping, ...shaping },
    losses: { ...base.losses, ...losses },
    optimization: { ...base.optimization, ...optimization },
  };
}

const smallNetwork: PpoSettings = changed(common, { play: { environmentSteps: 500_000 } });

/** RL4VLM's card games: its scripts, completed by the defaults of its code. */
const cards: PpoSettings = {
  play: { environmentSteps: 15_000, stepsPerUpdate: 512, temperature: 0.2 },
  advantages: {
    discount: 0.9,
    trace: 0.95,
    truncation: 'bootstrap',
    normalize: 'update',
    normalizeEpsilon: 1e-5,
  },
  shaping: common.shaping,
  losses: {
    policy: 'ppo',
    clip: { low: 0.1, high: 0.1 },
    credit: 'answer',
    thoughtCoefficient: 0.5,
    ratioGuard: 10,
    entropyCoefficient: 0.01,
    valueCoefficient: 0.5,
    valueClip: 0.1,
  },
  optimization: {
    passes: 4,
    minibatchSize: 128, // gradients of one sample, 128 of them accumulated
    learningRate: 1e-5,
    schedule: 'cosine',
    finalShare: 1e-4, // 1e-9
    decayUpdates: 25,
    valueSchedule: null,
    clipNorm: 0.01,
    valueClipNorm: null, // one norm of all
    valueInitSteps: 0,
    targetKl: null,
    betas: [0.9, 0.999],
    epsilon: 1e-7,
    weightDecay: 0,
  },
};

/** Token log-probabilities are summed: an action has one ratio. Published: 10 environments on each of several GPUs, 100,000 episodes in all. */
const robots: PpoSettings = changed(cards, {
  play: { environmentSteps: 1_000_000, stepsPerUpdate: 64, temperature: 1.7 },
  advantages: { discount: 0.99, normalize: null },
  losses: {
    clip: { low: 0.2, high: 0.2 },
    thoughtCoefficient: 1,
    ratioGuard: null,
    entropyCoefficient: 0,
    valueCoefficient: 1,
    valueClip: 0.2,
  },
  optimization: {
    passes: 1,
    minibatchSize: 16,
    learningRate: 8e-6,
    schedule: 'constant',
    finalShare: 1,
    decayUpdates: null,
    valueSchedule: 'constant', // and each with a scheduler: while the values learn alone the policy's stands
    clipNorm: 1,
    valueClipNorm: 1, // two optimizers, each with its own gradient norm
    valueInitSteps: 3,
    epsilon: 1e-5,
  },
});

const longer = changed(cards, { play: { stepsPerUpdate: 1024 } });
const published: Readonly<Record<Exclude<PpoPresetName, 'tiny'>, PpoPreset>> = {
  nl: { environments: 1, maxSteps: null, settings: cards },
  bj: { environments: 1, maxSteps: null, settings: cards },
  ezp: { environments: 1, maxSteps: null, settings: longer },
  p24: { environments: 1, maxSteps: null, settings: longer },
  vlarl: { environments: 10, maxSteps: null, settings: robots },
  minigrid: {
    environments: 1,
    maxSteps: 250,
    settings: changed(cards, {
      play: { environmentSteps: 80_000, temperature: 1 },
      losses: { thoughtCoefficient: 0.3 },
      optimization: { passes: 3, minibatchSize: 64 },
    }),
  },
};

/**
 * A vision-language model of about a million parameters on two cores: many environments, as equal prompts are read
 * once. Answers without an action teach nothing, so a policy that drifts into them stays there. To prevent this,
 * advantages are not stretched once all episodes win, entropy has no weight, and updates end early.
 */
const smallModel: PpoSettings = changed(common, {
  play: { environmentSteps: 50_000, stepsPerUpdate: 16 },
  advantages: { discount: 0.95, normalize: null },
  losses: { entropyCoefficient: 0 },
  optimization: { passes: 2, minibatchSize: 128, valueInitSteps: 2, targetKl: 0.003 },
});

/** The acting policy: a small network, or a vision-language model. */
export type PpoPolicyKind = 'network' | 'model';

/**
 * The settings of a preset; `tiny` has its own for models. Settings found for one environment are listed under its
 * kind.
 */
export function ppoPreset(name: PpoPresetName, kind: PpoPolicyKind = 'network'): PpoPreset {
  if (name !== 'tiny') return published[name];
  return kind === 'model'
    ? { environments: 32, maxSteps: null, settings: smallModel }
    : { environments: 16, maxSteps: null, settings: smallNetwork };
}
