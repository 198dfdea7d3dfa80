/**
 * The golden runs, as typed: each as small as its kind of training allows, each with numbers that move. Together they cover every algorithm, every kind of
 * policy, a dataset and an adapter.
 */
import { join } from 'node:path';

/** Outputs of earlier commands, by name. */
export interface Left {
  /** a folder that `collect` filled */
  readonly dataset: (name: string) => string;
  /** the run folder of an earlier command; the first where it has several */
  readonly run: (name: string) => string;
}

export interface GoldenRun {
  readonly name: string;
  /** the words after `emac`, without --out */
  readonly argv: (left: Left) => readonly string[];
}

const words = (text: string): string[] => text.split(' ');

/** Datasets for the runs to learn from. */
export const collections: Readonly<Record<string, readonly string[]>> = {
  play: words('collect --phase bc --num-games 1 --max-steps 4 --beams 1'),
  cards: words('collect --env gym_cards/NumberLine --num-samples 6 --val-share 0.3'),
};

/** Pins the projection's backend: an installed faster one gives other last bits. */
const backend = words('--tf-backend wasm');
// with seed 2 the policy after bc still differs from the expert, so that dpo has pairs
const games = [
  ...words('--rounds 1 --games-per-round 2 --max-steps 4 --updates-per-episode 1 --batch-size 2'),
  ...words('--act-with student --beams 1 --eval-games 0 --seed 2'),
  ...backend,
];
const dataset = [...words('--batch-size 2 --beams 1 --eval-games 0'), ...backend];
const ppo = words('--num-processes 2 --checkpoint-every 1');
const model = [...words('--total-steps 8 --num-steps 2 --mini-batch-size 2 --lora-rank 2'), ...backend];
// every answer gets a different reward: the untrained model never gives the expected one
const lewis = [
  ...words('grpo --prompts-per-update 2 --num-generations 3 --max-completion-length 12'),
  ...words('--listener-reward-mode soft_always --lora-rank 2 --checkpoint-every 1'),
  ...backend,
];

export const goldenRuns: readonly GoldenRun[] = [
  { name: 'train-bc', argv: () => [...words('train --phase bc'), ...games] },
  {
    name: 'train-dpo',
    argv: ({ run }) => [...words('train --phase dpo --ref'), run('train-bc'), ...games],
  },
  {
    name: 'train-bc-then-dpo',
    argv: () => [...words('train --phase bc,dpo --carry memories --agreed random'), ...games],
  },
  {
    name: 'train-data',
    argv: ({ dataset: collected }) => {
      const file = join(collected('play'), 'train.json');
      return [...words('train --phase bc --epochs 1 --data'), file, '--val', file, ...dataset];
    },
  },
  {
    name: 'train-lora',
    argv: () => [
      ...words('train --phase bc --train projection,lora --lora-rank 2 --lora-dropout 0.1'),
      ...games,
    ],
  },
  {
    name: 'sft',
    argv: ({ dataset: collected }) => [
      ...['sft', '--data', collected('cards')],
      ...words('--max-updates 2 --batch-size 2 --lora-rank 2'),
      ...backend,
    ],
  },
  {
    name: 'ppo-mlp',
    argv: () => [
      ...words('ppo --env gym_cards/NumberLine --policy mlp --total-steps 64 --num-steps 16'),
      ...words('--mini-batch-size 16 --eval-episodes 2'),
      ...ppo,
    ],
  },
  {
    name: 'ppo-cnn',
    argv: () => [
      ...words('ppo --env MiniGrid-Empty-5x5 --policy cnn --total-steps 32 --num-steps 8'),
      ...words('--mini-batch-size 8 --eval-episodes 0'),
      ...ppo,
    ],
  },
  {
    name: 'ppo-rl-tiny',
    argv: () => [
      ...words('ppo --env gym_cards/NumberLine --policy rl-tiny --max-new-tokens 12 --eval-episodes 1'),
      ...words('--value-init-steps 0 --target-kl none'),
      ...[...model, ...ppo],
    ],
  },
  {
    name: 'ppo-vla-tiny',
    argv: () => [
      ...words('ppo --env tabletop/spatial --policy vla-tiny --eval-episodes 0 --value-init-steps 1'),
      ...[...model, ...ppo],
    ],
  },
  {
    name: 'grpo-listener',
    argv: () => [...lewis, ...words('--role listener --updates 2 --eval-games 1')],
  },
  {
    name: 'grpo-speaker',
    argv: () => [...lewis, ...words('--role speaker --updates 2 --eval-games 0')],
  },
  {
    name: 'grpo-both',
    argv: () => [...lewis, ...words('--role both --turns 2 --updates 1 --eval-games 0 --seed 1')],
  },
];
