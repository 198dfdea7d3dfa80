/**
 * Checks every game in folders: the walkthrough wins at its last command, the planner wins as fast, and the hand-coded
 * expert's steps are counted by task type. Ends with status 2 if a check failed.
 *
 *   node tools/dist/world/check-planner.js FOLDER… [--max-steps 50]
 */
import { parseArgs } from 'node:util';
import { EmacError } from '@emac/core';
import { findGames, handcodedCommand, loadGame, verifyGame, World, type Game } from '@emac/world';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'max-steps': { type: 'string', default: '50' } },
});
if (positionals.length === 0) throw new EmacError('usage', 'check-planner: needs folders of games');
const maxSteps = Number(values['max-steps']);

/** Steps of the hand-coded expert; `maxSteps` if it did not win sooner. */
function expertSteps(game: Game): number {
  const world = new World(game);
  const turns: { command: string; observation: string }[] = [];
  const history = { initial: world.reset().observation, turns };
  while (!world.won && turns.length < maxSteps) {
    const command = handcodedCommand(history) ?? 'look';
    turns.push({ command, observation: world.step(command).observation });
  }
  return world.won ? turns.length : Infinity;
}

const byType = new Map<string, number[]>();
let faults = 0;
for (const path of positionals.flatMap((folder) => findGames(folder).games)) {
  const { fault, walkthrough, shortest } = verifyGame(path);
  const isAsShort = shortest !== null && (walkthrough === null || walkthrough === shortest);
  if (fault !== null || !isAsShort) {
    faults++;
    process.stdout.write(`${path}: ${fault ?? `walkthrough ${walkthrough}, shortest plan ${shortest}`}\n`);
    if (shortest === null) continue;
  }
  const game = loadGame(path);
  const type = game.taskType ?? 'unknown';
  byType.set(type, [...(byType.get(type) ?? []), expertSteps(game)]);
}
for (const [type, steps] of byType) {
  const solved = steps.filter((each) => each !== Infinity);
  const mean = steps.reduce((sum, each) => sum + Math.min(each, maxSteps), 0) / steps.length;
  process.stdout.write(
    `${type.padEnd(32)} expert ${solved.length}/${steps.length}, mean ${mean.toFixed(2)}, longest ${Math.max(...solved)}\n`,
  );
}
process.stdout.write(`${[...byType.values()].flat().length} games, ${faults} faults\n`);
process.exitCode = faults > 0 ? 2 : 0;
