/** ALFWorld as a kind of environments: household games in words and pictures, from files or generated. */
import { EmacError, invariant, type EnvironmentKind, type OpenedKind } from '@emac/core';
import { heldOutSuite } from '@emac/settings';
import {
  alfworld,
  handcodedExpert,
  plannerExpert,
  renderFrame,
  shownState,
  World,
  type Game,
} from '@emac/world';
import { drawGames, listedTasks, listGames } from './games.ts';
import { policyTexts } from './texts.ts';

const name = 'alfworld';

/** TextWorld's limit */
const usualSteps = 50;

/** compiled games */
const kept = 256;

export const alfworldKind: EnvironmentKind = {
  name,
  about: 'household games in words and pictures',
  ids: [name],
  policy: 'emma-tiny',
  idOf: (given) => (given === name ? name : null),
  open: async (_id, { maxSteps, source, heldOut, palette }) => {
    if (palette != null)
      throw new EmacError('usage', `${name}: has no colours to choose from, got ${palette}; leave it out`);
    const training = listGames(source ?? 'builtin:train');
    // an evaluation names no training games
    const held = listGames(heldOut ?? heldOutSuite, source === undefined ? '--games' : '--eval-on');
    return opened(
      maxSteps ?? usualSteps,
      // types in turn, so that the first few show several
      { training: listedTasks(training), heldOut: listedTasks(held, drawGames(held, Infinity, null)) },
      (id) => (training.find(id) ?? held.find(id))?.load(),
    );
  },
};

/** ALFWorld with these games alone, in both sets, such as those that a job brings. */
export function gamesKind(games: readonly Game[], maxSteps: number): OpenedKind {
  const byId = new Map(games.map((game) => [game.id, game]));
  const source = {
    count: games.length,
    at: (number: number | bigint) => {
      const { id, taskType } = games[Number(number)]!;
      return { id, type: taskType };
    },
  };
  return opened(maxSteps, { training: source, heldOut: source }, (id) => byId.get(id));
}

function opened(
  maxSteps: number,
  tasks: OpenedKind['tasks'],
  load: (id: string) => Game | undefined,
): OpenedKind {
  // the newest ones: attempts at a game compile it once
  const loaded = new Map<string, Game>();
  const gameOf = (id: string): Game => {
    const game = loaded.get(id) ?? load(id);
    invariant(game, `${name}: ${id} is not one of its games`);
    loaded.delete(id);
    loaded.set(id, game);
    const [oldest] = loaded.keys();
    if (loaded.size > kept) loaded.delete(oldest!);
    return game;
  };
  return {
    id: name,
    maxSteps,
    tasks,
    begin: async (task, seed) =>
      alfworld([gameOf(task.id)], { maxSteps, frames: renderFrame }).begin(task, seed),
    speech: policyTexts,
    rewards: [0, 1],
    player: handcodedExpert(),
    planner: plannerExpert(gameOf),
    shortest(task) {
      const world = new World(gameOf(task.id));
      world.reset();
      return world.shortestPlan()?.length ?? 1;
    },
    isReAct: true,
    anchor: ({ history }) => shownState(history),
    fileOf: (task) => gameOf(task.id).path,
  };
}
