/** How small networks read the games, every number one of a few and one place in a list of zeros, and numbers of PPO that were found by trial. */
import type { ArrayInput, FoundSettings, WorldNumbers } from '@emac/core';

const oneHot = (array: string, size: number, categories: readonly number[]): ArrayInput => ({
  array,
  encode: 'one-hot',
  size,
  categories,
});

interface Facts {
  readonly inputs: readonly ArrayInput[];
  readonly found: FoundSettings;
}

/** `model`: steps that rl-tiny learned in. */
const facts: Readonly<Record<string, Facts>> = {
  'gym_cards/NumberLine-v0': {
    // target and current
    inputs: [oneHot('numbers', 2, [6])],
    found: {
      network: { play: { environments: 8, environmentSteps: 20_000 } },
      model: { play: { environmentSteps: 8192 } },
    },
  },
  'gym_cards/EZPoints-v0': {
    // two cards; six places of 13 tokens, blank and nothing
    inputs: [oneHot('numbers', 2, [11]), oneHot('formula', 6, [15])],
    found: {
      // one formula in 1,800 drawn at random is right, and all others cost 1: where advantages are stretched to deviation 1 the
      // noise between equal losses is, and entropy that is worth little ends in `=` at once
      network: {
        play: { environmentSteps: 400_000 },
        advantages: { discount: 1, normalize: null },
        losses: { entropyCoefficient: 0.4, valueClip: null },
      },
      model: { play: { environmentSteps: 24_576 } },
    },
  },
  'gym_cards/Points24-v0': {
    // four cards; 21 places of 17 tokens, blank and nothing
    inputs: [oneHot('numbers', 4, [11]), oneHot('formula', 21, [19])],
    found: { model: { play: { environmentSteps: 49_152 } } },
  },
  'gym_cards/Blackjack-v0': {
    // own total, dealer's card, whether an ace counts 11
    inputs: [oneHot('hand', 3, [32, 11, 2])],
    found: {
      // in some hands both actions are worth nearly the same: entropy that is worth something keeps both tried
      network: {
        play: { environmentSteps: 600_000, stepsPerUpdate: 256 },
        advantages: { discount: 1, trace: 1, normalize: null },
        losses: { entropyCoefficient: 0.05, valueClip: null },
        optimization: { minibatchSize: 512, finalShare: 0.02 },
      },
      model: { play: { environmentSteps: 16_384 } },
    },
  },
};

/** Pictures of 300 × 300 pixels: 25 × 25, then 5 × 5. */
const convolutions = [
  { filters: 16, kernel: 12, stride: 12 },
  { filters: 32, kernel: 5, stride: 5 },
];

/** Of a published id. */
export function numbersOf(id: string): WorldNumbers {
  return { ...facts[id]!, convolutions };
}
