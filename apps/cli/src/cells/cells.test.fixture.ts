/** Every method in every kind of environment, as command lines; each run takes seconds. */
import { groupMethodNames, isJudged, learnsPairs, phases } from '@emac/algorithms';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const words = (text: string): string[] => text.split(' ');

/** A custom environment of two actions: the text names the direction to choose. */
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

/** An environment of each kind, by its row in the documents' table. */
const environments: Readonly<Record<string, string>> = {
  alfworld: 'alfworld',
  'card games': 'gym_cards/NumberLine-v0',
  MiniGrid: 'MiniGrid-Empty-5x5-v0',
  FrozenLake: 'FrozenLake-v1',
  Sokoban: 'Sokoban-6x6-1',
  tabletop: 'tabletop/spatial/0',
  Lewis: 'lewis/listener',
};
const own = "a module of one's own";

/** Kinds of environment this machine plays. */
export const kinds: readonly string[] = [...Object.keys(environments), own];

/** The methods that play; sft learns from a dataset. */
export const playing: readonly string[] = [...phases, 'ppo', ...groupMethodNames];

/** The small model for a kind's dataset: in ALFWorld from a game's history, elsewhere from the environment's text. */
const learners: Readonly<Record<string, string>> = {
  alfworld: 'emma-tiny',
  'card games': 'rl-tiny',
  MiniGrid: 'rl-tiny',
  FrozenLake: 'rl-tiny',
  Sokoban: 'rl-tiny',
  tabletop: 'vla-tiny',
  Lewis: 'lewis-tiny',
  [own]: 'emma-tiny',
};

export interface Cells {
  /** Words after `emac train`, without --out. `reference` makes the run that a judged method starts from. */
  train(method: string, kind: string, reference: () => string): readonly string[];
  /** Words of the command for a kind's dataset, without --out. */
  collect(kind: string): readonly string[];
  sft(kind: string, data: string): readonly string[];
  /** The flag for custom code, needed for resuming, evaluating and workers; empty if an id is enough. */
  code(kind: string): readonly string[];
  /** Words that name the environment for evaluating a kind's run of sft; none for games. */
  place(kind: string): readonly string[];
}

const labelled = words(
  '--max-steps 2 --games-per-round 2 --updates-per-episode 1 --batch-size 1 --probe none',
);
const paired = [...labelled, ...words('--train-after every-episode --agreed keep')];
const grouped = words(
  '--max-steps 2 --max-new-tokens 12 --prompts-per-update 1 --group-size 2 --prompts-together 1 --lora-rank 2',
);

/** Settings that make a method's runs small; the rest of a cell's command differs in method and environment alone. */
const small: Readonly<Record<string, readonly string[]>> = {
  bc: labelled,
  'focal-bc': labelled,
  ...Object.fromEntries(phases.filter(learnsPairs).map((method) => [method, paired])),
  ppo: words(
    '--max-steps 2 --max-new-tokens 12 --num-processes 2 --num-steps 1 --batch-size 2 --envs-together 1 --lora-rank 2',
  ),
  ...Object.fromEntries(groupMethodNames.map((method) => [method, grouped])),
};

/** The module lies in the folder. */
export function cellsIn(folder: string, updates: number): Cells {
  const file = join(folder, 'turns.mjs');
  writeFileSync(file, turns);
  const nameOf = (kind: string): string => (kind === own ? file : environments[kind]!);
  return {
    train: (method, kind, reference) => [
      ...['--method', method, '--env', nameOf(kind), ...words(`--updates ${updates} --eval-episodes 0`)],
      ...small[method]!,
      // where PPO's default is a network, the language model is asked for
      ...(method === 'ppo' ? ['--policy', learners[kind]!] : []),
      ...(phases.some((phase) => phase === method && isJudged(phase)) ? ['--ref', reference()] : []),
    ],
    collect: (kind) =>
      kind === 'alfworld'
        ? words('collect --phase bc --num-games 1 --max-steps 2 --beams 1')
        : ['collect', '--env', nameOf(kind), '--num-samples', '2'],
    sft: (kind, data) => [
      ...['--method', 'sft', '--updates', String(updates), '--data', data, '--policy', learners[kind]!],
      ...words('--batch-size 2 --gradient-shards 2 --lora-rank 2'),
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
