import { Random, type Turn } from '@emac/core';
import { builtinGame, handcodedCommand, parseGame, World, type Game } from '@emac/world';
import { expect, it } from 'vitest';
import { playGame } from './plays.ts';

/** For each command of a play, whether it differs from the expert's there. */
function departures(game: Game, played: readonly Turn[]): boolean[] {
  const world = new World(game);
  const start = world.reset();
  let { admissible } = start;
  return played.map(({ command }, index) => {
    const history = { initial: start.observation, turns: played.slice(0, index) };
    const right = handcodedCommand(history, { admissible });
    ({ admissible } = world.step(command));
    return command !== right;
  });
}

it('is aimless in 8 % of the plays, and elsewhere in 5 % of the steps', () => {
  const { id, file } = builtinGame('train', 0);
  const game = parseGame(file, { id });
  const plays = Array.from({ length: 200 }, (_, seed) => {
    const { turns } = playGame(game, Random.fromSeed(seed), { maxSteps: 40, competence: () => 1 });
    return departures(game, turns);
  });
  const share = (departed: readonly boolean[]) => departed.filter(Boolean).length / departed.length;
  const isAimless = (departed: readonly boolean[]) => share(departed) > 0.5;
  // 16 ± three standard deviations
  expect(Math.abs(plays.filter(isAimless).length - 16)).toBeLessThan(3 * Math.sqrt(200 * 0.08 * 0.92));
  for (const play of plays.filter(isAimless)) expect(play.length).toBeLessThanOrEqual(12);
  const others = plays.filter((play) => !isAimless(play)).flat();
  // an aimless step is the expert's command now and then
  expect(share(others)).toBeGreaterThan(0.035);
  expect(share(others)).toBeLessThan(0.055);
});
