/** What the page offers, and the run that a choice means. */
import type { Asked } from '../tab/messages.ts';

export interface Choice {
  readonly environment: string;
  readonly policy: string;
  readonly method: string;
  /** games, environment steps or updates, by the method */
  readonly amount: number;
  readonly seed: number;
  /** held-out episodes before training and after it */
  readonly evaluated: number;
}

interface Named {
  readonly name: string;
  readonly title: string;
}

interface Environment extends Named {
  readonly policies: readonly Policy[];
}

type Policy = 'emma-tiny' | 'mlp' | 'cnn';

const networks = ['mlp', 'cnn'] as const;

export const environments: readonly Environment[] = [
  { name: 'alfworld', title: 'Household games (ALFWorld)', policies: ['emma-tiny'] },
  { name: 'MiniGrid-Empty-5x5-v0', title: 'MiniGrid: an empty room', policies: networks },
  { name: 'MiniGrid-DoorKey-5x5-v0', title: 'MiniGrid: door and key', policies: networks },
  { name: 'FrozenLake-v1/not-slippery', title: 'FrozenLake', policies: networks },
  { name: 'gym_cards/NumberLine-v0', title: 'Cards: number line', policies: ['mlp'] },
  { name: 'gym_cards/Blackjack-v0', title: 'Cards: blackjack', policies: ['mlp'] },
];

export const policyTitles: Readonly<Record<Policy, string>> = {
  'emma-tiny': 'emma-tiny, a vision-language model',
  mlp: 'a perceptron over numbers',
  cnn: 'a small network over pictures',
};

interface Method extends Named {
  readonly unit: string;
  /** the usual amount for a language model and for a small network */
  readonly usual: readonly [model: number, network: number];
  /** the method's settings for an amount */
  readonly settings: (amount: number) => object;
}

export const methods: readonly Method[] = [
  {
    name: 'bc',
    title: 'Imitation of the expert (DAgger)',
    unit: 'Games',
    usual: [60, 256],
    settings: (amount) => ({ play: { rounds: 1, gamesPerRound: amount } }),
  },
  {
    name: 'ppo',
    title: 'PPO, from reward alone',
    unit: 'Environment steps',
    usual: [9600, 16384],
    settings: (amount) => ({ play: { environmentSteps: amount } }),
  },
  {
    name: 'gigpo',
    title: 'GiGPO, from reward alone',
    unit: 'Updates',
    usual: [5, 40],
    settings: (amount) => ({ play: { updates: amount } }),
  },
];

/** Where the run of a choice lies: the same choice continues it. */
export function folderOf({ environment, policy, method, amount, seed, evaluated }: Choice): string {
  return `/runs/${[environment, policy, method, amount, seed, evaluated].join(' ').replaceAll('/', '_')}`;
}

/** The run, as `learn` takes it. */
export function askedBy(choice: Choice): Asked {
  const { environment, policy, method: name, amount, seed, evaluated } = choice;
  const method = methods.find((each) => each.name === name)!;
  const settings = { ...method.settings(amount), seed, evaluation: { episodes: evaluated } };
  return { environment, policy, method: name, settings, folder: folderOf(choice) } as Asked;
}
