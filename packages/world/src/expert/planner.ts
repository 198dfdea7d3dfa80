/**
 * The expert with full knowledge: it replays the history in its own world and answers with the first command of a
 * shortest win, so it can take over from any state. It uses facts no agent sees.
 */
import { EmacError } from '@emac/core';
import type { Expert, History } from '@emac/core';
import type { Game } from '../game/game.ts';
import { World } from '../world.ts';

/**
 * The expert behind core's contract; `gameOf` gives the game of an id (kept or loaded, as the caller likes). A
 * history that did not begin in that game is a `data` error.
 */
export function plannerExpert(gameOf: (gameId: string) => Game): Expert {
  return {
    label: async ({ task, history }) => {
      const world = worldAfter(gameOf(task.id), history);
      if (world.won) return { kind: 'unusable', reason: 'the game is won already' };
      const [command] = world.shortestPlan() ?? [];
      if (command !== undefined) return { kind: 'action', command };
      return { kind: 'unusable', reason: 'no win is possible from here, or the goal has no known task type' };
    },
  };
}

/** A world in the state after the history; `data` error for another game's history. */
function worldAfter(game: Game, { initial, turns }: History): World {
  const world = new World(game);
  if (world.reset().observation !== initial)
    throw new EmacError('data', `history of ${game.id}: its first observation differs from the game’s`);
  for (const { command } of turns) world.perform(command);
  return world;
}
