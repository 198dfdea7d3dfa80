/** The small commands whose writing is recorded. */
export interface Subject {
  readonly name: string;
  /** the words that make its data first */
  readonly prepare?: readonly string[];
  /** the words after `emac`; `OUT` stands for the folder of its results, `DATA` for that of its files */
  readonly begin: readonly string[];
  /** the verb that resumes its first run; absent: the same words again */
  readonly resume?: string;
  /** folder of its runs in OUT; default OUT itself */
  readonly runs?: string;
  /** plays by a worker, with a queue at `QUEUE`, which a power cut empties */
  readonly hasWorker?: true;
}

const words = (text: string) => text.split(' ');
const small = '--eval-games 2 --max-steps 3 --beams 1';
const network = '--env FrozenLake-v1 --policy mlp --eval-episodes 2 --checkpoint-every 1 --keep 2';

export const subjects: readonly Subject[] = [
  {
    name: 'bc',
    begin: words(
      `train --phase bc --rounds 2 --games-per-round 2 --updates-per-episode 1 ${small} --out OUT`,
    ),
    resume: 'train',
  },
  {
    name: 'dpo',
    begin: words(
      `train --phase bc,dpo --rounds 1 --games-per-round 2 --updates-per-episode 1 ${small} --out OUT`,
    ),
    resume: 'train',
  },
  {
    name: 'ppo',
    begin: words(
      `train --method ppo ${network} --steps 96 --num-processes 2 --num-steps 8 --batch-size 8 --out OUT`,
    ),
    resume: 'train',
  },
  {
    name: 'grpo',
    begin: words(
      `train --method grpo ${network} --updates 4 --prompts-per-update 2 --num-generations 3 --out OUT`,
    ),
    resume: 'train',
  },
  {
    name: 'sft',
    prepare: words('collect --num-games 3 --beams 1 --max-steps 3 --out DATA/collected'),
    begin: words(
      'train --method sft --policy emma-tiny --data DATA/collected --epochs 2 --checkpoint-every 1 --out OUT',
    ),
    resume: 'train',
  },
  { name: 'eval', begin: words('eval --ckpt emma-tiny --num-games 3 --max-steps 3 --out OUT/result/') },
  {
    name: 'collect',
    begin: words('collect --phase dpo --num-games 3 --beams 1 --max-steps 4 --out OUT/data'),
  },
  {
    name: 'collect-environment',
    begin: words('collect --env gym_cards/EZPoints-v0 --num-samples 12 --out OUT/data'),
  },
  {
    name: 'worker',
    begin: words(
      `train --method ppo ${network} --steps 96 --num-processes 2 --num-steps 8 --batch-size 8 --envs-together 1 --queue QUEUE --shared OUT/shared --out OUT/runs`,
    ),
    resume: 'train',
    runs: 'runs',
    hasWorker: true,
  },
  { name: 'sweep', begin: words('sweep DATA/sweep.yaml --out OUT/sweep') },
];

/** The files that the commands read. */
export const files: Readonly<Record<string, string>> = {
  'sweep.yaml': [
    `command: train --method ppo --env FrozenLake-v1 --policy mlp --steps 48 --num-processes 2 --num-steps 8 --batch-size 8 --eval-episodes 2 --checkpoint-every 1`,
    'grid:',
    '  optimization.learningRate: [0.01, 0.001]',
    'seeds: [0]',
    '',
  ].join('\n'),
};
