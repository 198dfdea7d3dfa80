/** Real runs for pictures: short ones of every method in several environments, done and not, better, worse and unchanged. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { createFolder } from '@emac/files';
import { root } from '../workspace/root.ts';

/** An environment whose world breaks. */
const broken = `export default {
  tasks: { training: ['a', 'b'], heldOut: ['c'] },
  maxSteps: 4,
  begin: () => ({ observation: [0], actions: ['left', 'right'], step() { throw new Error('the world broke'); } }),
};
`;

const numbers = '--env gym_cards/NumberLine-v0 --policy mlp --eval-episodes 50';
const lake = '--env FrozenLake-v1 --policy mlp --eval-episodes 50';
const grid = '--env MiniGrid-Empty-5x5-v0 --eval-episodes 50';

/** Words behind `emac train`, oldest first; the first two are those of the README. */
const commands = [
  '--phase bc',
  '--phase dpo --ref latest',
  `--method bc ${grid} --policy cnn --rounds 2 --games-per-round 20`,
  `--method ppo ${grid} --policy cnn --updates 2`,
  `--method ppo ${grid} --policy mlp --updates 12`,
  `--method bc ${numbers} --rounds 2 --games-per-round 20`,
  '--method dpo --env gym_cards/NumberLine-v0 --ref latest --rounds 1 --games-per-round 20 --eval-episodes 50',
  ...[0, 1, 2].map((seed) => `--method ppo ${numbers} --updates 4 --seed ${seed}`),
  ...[0, 1].map((seed) => `--method grpo ${numbers} --updates 30 --seed ${seed}`),
  `--method ppo ${numbers} --init latest --updates 4 --lr 1`,
  ...[0, 1].map((seed) => `--method ppo ${lake} --updates 4 --seed ${seed}`),
  `--method gigpo ${lake} --updates 10`,
  `--method hgpo ${lake} --updates 10`,
  '--method bc --env Sokoban-small --policy cnn --rounds 1 --games-per-round 20 --eval-episodes 50',
  '--method ppo --env gym_cards/Blackjack-v0 --policy mlp --updates 4 --eval-episodes 50',
  '--method grpo --env lewis --role speaker --listener model --updates 4 --eval-games 20',
] as const;

const long = (size: number) =>
  `--method ppo --env MiniGrid-Empty-${size}x${size}-v0 --policy mlp --updates 100000 --eval-episodes 0`;
const cuts = [
  { words: long(6), signal: 'SIGINT' },
  { words: long(8), signal: 'SIGKILL' },
] as const;
const unending = long(16);

/** milliseconds after which a run is cut */
const patience = 8000;

/** Makes those that are not in `runs` of the folder yet: 23, of which one fails and one runs until `end` is called. */
export async function exampleRuns(folder: string): Promise<{ end(): Promise<void> }> {
  createFolder(join(folder, 'runs'));
  writeFileSync(join(folder, 'broken.mjs'), broken);
  const fails = '--method ppo --env broken.mjs --policy mlp --updates 4 --eval-episodes 0';
  for (const words of [...commands, fails])
    if (!isMade(folder, words)) await once(started(folder, words), 'exit');
  for (const { words, signal } of cuts) {
    if (isMade(folder, words)) continue;
    const run = started(folder, words);
    await passed(patience);
    run.kill(signal);
    await once(run, 'exit');
  }
  const running = started(folder, unending);
  await passed(patience);
  return {
    async end() {
      running.kill('SIGINT');
      await once(running, 'exit');
    },
  };
}

/** Whether a run has this command. */
function isMade(folder: string, words: string): boolean {
  return readdirSync(join(folder, 'runs')).some((name) => {
    const command = join(folder, 'runs', name, 'command.txt');
    return existsSync(command) && readFileSync(command, 'utf8').includes(`emac train ${words}\n`);
  });
}

function started(folder: string, words: string): ChildProcess {
  process.stdout.write(`emac train ${words}\n`);
  const program = join(root, 'apps/cli/bin/emac.mjs');
  return spawn(process.execPath, [program, 'train', ...words.split(' ')], {
    cwd: folder,
    stdio: 'ignore',
  });
}
