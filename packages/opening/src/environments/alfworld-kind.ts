/** ALFWorld as a kind of environments: household games in words and pictures, from files or generated. */
import type { EnvironmentKind, OpenedKind, Task, TaskSource } from '@emac/core';
import { EmacError, invariant } from '@emac/core';
import { alfworld, handcodedExpert, renderFrame, shownState, type Game } from '@emac/world';
import { drawGames, listGames, taskOf, type GameList } from './games.ts';
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
    return opened(maxSteps ?? usualSteps, {
      training: listGames(source ?? 'builtin:train'),
      heldOut: listGames(heldOut ?? 'builtin:valid_unseen', '--eval-on'),
    });
  },
};

function opened(maxSteps: number, lists: Readonly<Record<'training' | 'heldOut', GameList>>): OpenedKind {
  // the newest ones: attempts at a game compile it once
  const loaded = new Map<string, Game>();
  const gameOf = ({ id }: Task): Game => {
    const listed = lists.training.find(id) ?? lists.heldOut.find(id);
    invariant(listed, `${name}: ${id} is not one of its games`);
    const game = loaded.get(id) ?? listed.load();
    loaded.delete(id);
    loaded.set(id, game);
    const [oldest] = loaded.keys();
    if (loaded.size > kept) loaded.delete(oldest!);
    return game;
  };
  return {
    id: name,
    maxSteps,
    tasks: {
      training: sourceOf(lists.training.games),
      // types in turn, so that the first few show several
      heldOut: sourceOf(drawGames(lists.heldOut, Infinity, null)),
    },
    begin: async (task, seed) =>
      alfworld([gameOf(task)], { maxSteps, frames: renderFrame }).begin(task, seed),
    speech: policyTexts,
    rewards: [0, 1],
    player: handcodedExpert(),
    anchor: ({ history }) => shownState(history),
    fileOf: (task) => gameOf(task).path,
  };
}

function sourceOf(games: GameList['games']): TaskSource {
  return {
    count: games.length,
    at(number) {
      const game = games[Number(number)];
      invariant(game, `${name}: has games 0 to ${games.length - 1}, got number ${number}`);
      return taskOf(game);
    },
  };
}
