/**
 * The local world behind core's asynchronous contracts, with the step limit. Every call of `step` counts,
 * refused commands too; once an episode is done, further steps return the last result unchanged.
 */
import { EmacError } from '@emac/core';
import type { Episode, Frame, Step, WorldSource } from '@emac/core';
import type { VisibleState } from './frame/visible-state.ts';
import type { Game } from './game/game.ts';
import { loadGame } from './game/load-game.ts';
import { World } from './world.ts';
import type { State } from './world.ts';

export interface EpisodeOptions {
  /** steps after which an episode is done without being won; none by default */
  readonly maxSteps?: number;
  /** draws what the agent sees; without it episodes have no frames */
  readonly frames?: (visible: VisibleState) => Frame;
}

/** One attempt at a game, already reset. A `maxSteps` that is no positive integer is a `usage` error. */
export function episodeOf(game: Game, options: EpisodeOptions = {}): Episode {
  const { maxSteps = Infinity, frames } = options;
  if (maxSteps !== Infinity && !(Number.isInteger(maxSteps) && maxSteps > 0))
    throw new EmacError(
      'usage',
      `episode of ${game.id}: maxSteps must be a positive integer, got ${maxSteps}`,
    );
  const world = new World(game);
  const draw = (): { frame?: Frame } => (frames ? { frame: frames(world.visible()) } : {});
  const stepOf = (state: State, taken: number): Step => {
    return { ...state, done: state.won || taken >= maxSteps, ...draw() };
  };
  const first = world.reset();
  let last = stepOf(first, 0);
  let taken = 0;
  return {
    gameId: game.id,
    taskType: game.taskType,
    observation: first.observation,
    ...draw(),
    admissible: first.admissible,
    step: async (command) => {
      if (!last.done) last = stepOf(world.step(command), ++taken);
      return last;
    },
    skip: async () => {},
  };
}

/** Episodes of the given games (loaded ones, or paths loaded when their turn comes), each once, in order. */
export function worldSource(games: Iterable<Game | string>, options: EpisodeOptions = {}): WorldSource {
  const iterator = games[Symbol.iterator]();
  return {
    next: async () => {
      const { done, value } = iterator.next();
      if (done === true) return null;
      return episodeOf(typeof value === 'string' ? loadGame(value) : value, options);
    },
  };
}
