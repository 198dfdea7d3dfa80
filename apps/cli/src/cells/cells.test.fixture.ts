/** Every method in every kind of environments, as it is typed: runs of seconds. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const words = (text: string): string[] => text.split(' ');

/** Which way is told in words, and asked for by a word. */
const turns = `
export default {
  tasks: { training: ['left 1', 'right 1'], heldOut: ['left 2', 'right 2'] },
  actions: ['left', 'right'],
  begin: (task) => ({
    observation: 'Go ' + task.split(' ')[0] + '.',
    step: (action) => ({ observation: 'Done.', reward: action === task.split(' ')[0] ? 1 : 0, done: true }),
  }),
  expert: (task) => task.split(' ')[0],
};
`;

/** An environment of each kind, by the name of its row in the table of the documents. */
const environments: Readonly<Record<string, string>> = {
  alfworld: 'alfworld',
  'card games': 'gym_cards/NumberLine-v0',
  MiniGrid: 'MiniGrid-Empty-5x5-v0',
  tabletop: 'tabletop/spatial/0',
  Lewis: 'lewis/listener',
};
const own = "a module of one's own";

/** The kinds whose environments this machine plays. */
export const kinds: readonly string[] = [...Object.keys(environments), own];

/** The methods that play; sft learns a dataset. */
export const playing = ['bc', 'dpo', 'ppo', 'grpo'] as const;

/** Which small model learns the dataset of a kind; in ALFWorld a game's history, elsewhere what the environment says. */
const learners: Readonly<Record<string, string>> = {
  alfworld: 'emma-tiny',
  'card games': 'rl-tiny',
  MiniGrid: 'rl-tiny',
  tabletop: 'vla-tiny',
  Lewis: 'lewis-tiny',
  [own]: 'emma-tiny',
};

export interface Cells {
  /** What is typed after `emac train`, without --out. `reference` is the run that dpo starts from. */
  train(method: (typeof playing)[number], kind: string, reference: () => string): readonly string[];
  /** The command that makes a kind's dataset, without --out, and what learns it. */
  collect(kind: string): readonly string[];
  sft(kind: string, data: string): readonly string[];
  /** Names code that is run only where it is named: for resuming, evaluating and workers; nothing where an id says all. */
  code(kind: string): readonly string[];
  /** What names the environment in which a kind's run of sft is evaluated; nothing for games. */
  place(kind: string): readonly string[];
}

/** `steps`: rounds and updates of a run, and groups of an update. The module lies in the folder. */
export function cellsIn(folder: string, steps: number): Cells {
  const file = join(folder, 'turns.mjs');
  writeFileSync(file, turns);
  const nameOf = (kind: string): string => (kind === own ? file : environments[kind]!);
  const labelled = words(
    `--rounds ${steps} --games-per-round ${steps} --max-steps 2 --updates-per-episode 1 --batch-size 1`,
  );
  const rewarded = words(
    '--max-new-tokens 12 --eval-episodes 1 --lora-rank 2 --max-steps 2 --checkpoint-every 1',
  );
  return {
    train: (method, kind, reference) => {
      const env = ['--env', nameOf(kind)];
      const typed = {
        bc: () => [...labelled, '--eval-episodes', '1'],
        dpo: () => [
          ...['--ref', reference(), ...labelled],
          ...words('--eval-episodes 0 --train-after every-episode --agreed keep'),
        ],
        ppo: () => [
          ...rewarded,
          ...words(`--num-processes 2 --num-steps 1 --steps ${4 * steps} --batch-size 2 --envs-together 1`),
        ],
        grpo: () => [
          ...rewarded,
          ...words(`--updates ${steps} --prompts-per-update ${steps} --group-size 2 --prompts-together 1`),
        ],
      };
      return ['--method', method, ...env, ...typed[method]()];
    },
    collect: (kind) =>
      kind === 'alfworld'
        ? words('collect --phase bc --num-games 1 --max-steps 2 --beams 1')
        : ['collect', '--env', nameOf(kind), '--num-samples', '2'],
    sft: (kind, data) => [
      ...['--method', 'sft', '--data', data, '--policy', learners[kind]!],
      ...words(`--max-updates ${steps} --batch-size 2 --gradient-shards 2 --lora-rank 2`),
    ],
    code: (kind) => (kind === own ? ['--env', file] : []),
    place: (kind) => (kind === 'alfworld' ? [] : ['--env', nameOf(kind)]),
  };
}

/** The run in a folder. */
export function runIn(out: string): string {
  return join(
    out,
    readdirSync(out).find((name) => !name.startsWith('.'))!,
  );
}
