/**
 * Writes games and this engine's observations, for a comparison with ALFWorld itself
 * (`tools/alfworld-client/compare.py`): for each game a random walk with nonsense in between, and its walkthrough with
 * a look and an inventory after some commands. Each dialect is used by half of the generated games.
 *
 *   node tools/dist/world/write-transcripts.js OUT [--games FOLDER:COUNT]… [--generated N] [--steps N] [--seed N]
 *
 * OUT/transcripts.jsonl holds one game per line, in mixed order; OUT/games the generated files.
 */
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { EmacError, Random } from '@emac/core';
import { createFolder } from '@emac/files';
import { generateGame, loadGame, taskTypes, World, type Game } from '@emac/world';
import { chooseGames } from './game-choice.ts';
import { walkCommand } from './random-walk.ts';

interface Recorded {
  /** null: the reset */
  readonly command: string | null;
  readonly observation: string;
  readonly admissible: readonly string[];
  readonly won: boolean;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    games: { type: 'string', multiple: true, default: [] },
    generated: { type: 'string', default: '110' },
    steps: { type: 'string', default: '55' },
    seed: { type: 'string', default: '1' },
  },
});
const [out] = positionals;
if (out === undefined) throw new EmacError('usage', 'write-transcripts: needs the folder to write to');
const random = Random.fromSeed(`transcripts/${values.seed}`);
createFolder(out);

const real = values.games.flatMap((each) => {
  const [, folder, count] = /^(.*):(\d+)$/.exec(each) ?? [];
  if (folder === undefined)
    throw new EmacError('usage', `write-transcripts: --games FOLDER:COUNT, got ${each}`);
  return chooseGames(resolve(folder), Number(count), random).map((path) => ({ path, ours: false }));
});
const made = Array.from({ length: Number(values.generated) }, (_, index) => {
  return { path: writeGenerated(out, index), ours: true };
});

let states = 0;
const file = openSync(join(out, 'transcripts.jsonl'), 'w');
for (const { path, ours } of random.shuffle([...real, ...made])) {
  const game = loadGame(path);
  const episodes = [walk(game, Number(values.steps)), ...(game.walkthrough ? [walkthrough(game)] : [])];
  states += episodes.reduce((sum, { steps }) => sum + steps.length, 0);
  writeSync(file, `${JSON.stringify({ path, ours, episodes })}\n`);
}
closeSync(file);
process.stdout.write(`${real.length} real games, ${made.length} generated, ${states} states\n`);

function writeGenerated(folder: string, index: number): string {
  const game = generateGame({
    random: Random.fromSeed(`transcripts/${values.seed}/${index}`),
    split: index % 3 === 0 ? 'valid_unseen' : 'train',
    dialect: index % 2 === 0 ? 'move' : 'put',
    taskType: taskTypes[Math.floor(index / 2) % taskTypes.length]!,
  });
  const path = resolve(folder, 'games', game.id, 'game.tw-pddl');
  createFolder(dirname(path));
  writeFileSync(path, JSON.stringify(game.file));
  return path;
}

function record(world: World, command: string | null): Recorded {
  const { observation, admissible, won } = command === null ? world.reset() : world.step(command);
  return { command, observation, admissible, won };
}

function walk(game: Game, length: number): { kind: string; steps: Recorded[] } {
  const world = new World(game);
  const steps = [record(world, null)];
  while (steps.length <= length) steps.push(record(world, walkCommand(world.admissible, random)));
  return { kind: 'walk', steps };
}

function walkthrough(game: Game): { kind: string; steps: Recorded[] } {
  const world = new World(game);
  const steps = [record(world, null)];
  for (const command of game.walkthrough ?? []) {
    steps.push(record(world, command));
    if (random.uniform() < 0.2) steps.push(record(world, random.pick(['look', 'inventory'])));
  }
  if (!world.won) throw new EmacError('data', `${game.path}: its walkthrough does not win`);
  return { kind: 'walkthrough', steps };
}
