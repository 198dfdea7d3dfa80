/** The game for a word. */
import { EmacError } from '@emac/core';
import { isFolder } from '@emac/files';
import { builtinGameAt } from '@emac/opening';
import { findGames, loadGame, type Game } from '@emac/world';

/** A built-in game, a file, or the only one in a folder. Errors: `usage`, `missing`, `data`. */
export function namedGame(name: string): Game {
  const builtin = /^(builtin:\w+)\/(\d+)$/.exec(name);
  if (builtin) return builtinGameAt(builtin[1]!, Number(builtin[2]));
  if (name.startsWith('builtin:'))
    throw new EmacError('usage', `${name}: names a suite; give one of its games, e.g. ${name}/0`);
  if (!isFolder(name)) return loadGame(name);
  const { games } = findGames(name);
  if (games.length !== 1)
    throw new EmacError('usage', `${name}: holds ${games.length} games; give the file of one`);
  return loadGame(games[0]!);
}
