/** Real runs for pictures: short ones of every method in several environments, done and not, better, worse and unchanged. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { createFolder } from '@emac/files';
import { standingOf } from '@emac/runs';
import { root } from '../workspace/root.ts';

/** An environment whose world breaks. */
const broken = `let steps = 0;
const seen = (place) => ({ text: 'a place', arrays: { place: { shape: [1], data: Float32Array.of(place) } } });
export default {
  tasks: { training: ['a', 'b'], heldOut: ['c'] },
  maxSteps: 4,
  begin: () => ({
    observation: seen(0),
    actions: ['left', 'right'],
    step() {
      if (++steps > 9000) throw new Error('the world broke');
      return { observation: seen(1), reward: 0, done: true };
    },
  }),
};
`;

const numbers = '--env gym_cards/NumberLine-v0 --policy mlp --eval-episodes 50';
const lake = '--env FrozenLake-v1 --policy mlp --eval-episodes 50';
const grid = '--env MiniGrid-Empty-5x5-v0 --eval-episodes 50';

interface Example {
  /** behind `emac train` */
  readonly words: string;
  /** what cuts it after a while */
  readonly signal?: 'SIGINT' | 'SIGKILL';
}

const long = (size: number) =>
  `--method ppo --env MiniGrid-Empty-${size}x${size}-v0 --policy mlp --updates 100000 --eval-episodes 0`;
const done = (...words: readonly string[]): readonly Example[] => words.map((each) => ({ words: each }));

/** Oldest first; the first two are those of the README. */
const examples: readonly Example[] = [
  ...done('--phase bc', '--phase dpo --ref latest'),
  { words: long(6), signal: 'SIGINT' },
  { words: long(8), signal: 'SIGKILL' },
  ...done(
    '--method ppo --env broken.mjs --policy mlp --updates 40 --eval-episodes 0',
    '--method bc --env Sokoban-small --policy cnn --rounds 1 --games-per-round 20 --eval-episodes 50',
    `--method ppo ${lake} --updates 4`,
    `--method hgpo ${lake} --updates 10`,
    `--method gigpo ${lake} --updates 10`,
    `--method ppo ${grid} --policy cnn --updates 2`,
    ...[0, 1].map((seed) => `--method grpo ${numbers} --updates 30 --seed ${seed}`),
    `--method ppo ${numbers} --init latest --updates 4 --lr 1`,
    '--method ppo --env gym_cards/Blackjack-v0 --policy mlp --updates 4 --eval-episodes 50',
    `--method bc ${numbers} --rounds 2 --games-per-round 20`,
    '--method dpo --env gym_cards/NumberLine-v0 --ref latest --rounds 1 --games-per-round 20 --eval-episodes 50',
    ...[0, 1, 2].map((seed) => `--method ppo ${numbers} --updates 4 --seed ${seed}`),
    '--method grpo --env lewis --role speaker --listener model --updates 4 --eval-games 20',
    `--method bc ${grid} --policy cnn --rounds 2 --games-per-round 20`,
    `--method ppo ${grid} --policy mlp --updates 12`,
  ),
];
const unending = long(16);

/** milliseconds after which a run is cut */
const patience = 8000;

/** Makes those that are not in `runs` of the folder yet: 23, of which one fails and one runs until `end` is called. */
export async function exampleRuns(folder: string): Promise<{ end(): Promise<void> }> {
  createFolder(join(folder, 'runs'));
  writeFileSync(join(folder, 'broken.mjs'), broken);
  for (const { words, signal } of examples) {
    if (madeOf(folder, words) !== null) continue;
    const run = started(folder, words);
    const ended = once(run, 'exit');
    if (signal !== undefined) {
      await passed(patience);
      run.kill(signal);
    }
    await ended;
  }
  const begun = madeOf(folder, unending);
  const running = started(folder, begun === null ? unending : `--resume runs/${begun} --allow-drift`);
  while (!isRunning(folder, unending)) {
    if (running.exitCode !== null) throw new Error(`emac train: ended with ${running.exitCode}`);
    await passed(100);
  }
  return {
    async end() {
      running.kill('SIGINT');
      await once(running, 'exit');
    },
  };
}

/** The run with this command; null without one. */
function madeOf(folder: string, words: string): string | null {
  const found = readdirSync(join(folder, 'runs')).find((name) => {
    const command = join(folder, 'runs', name, 'command.txt');
    return existsSync(command) && readFileSync(command, 'utf8').includes(`emac train ${words}\n`);
  });
  return found ?? null;
}

function isRunning(folder: string, words: string): boolean {
  const run = madeOf(folder, words);
  return run !== null && standingOf(join(folder, 'runs', run), new Date()).status === 'running';
}

function started(folder: string, words: string): ChildProcess {
  process.stdout.write(`emac train ${words}\n`);
  const program = join(root, 'apps/cli/bin/emac.mjs');
  return spawn(process.execPath, [program, 'train', ...words.split(' ')], {
    cwd: folder,
    stdio: 'ignore',
  });
}
