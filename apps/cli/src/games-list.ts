/** `emac games list`: ids and task types, known without compiling a game. */
import { listGames } from './games.ts';
import type { GamesListValues } from './games-commands.ts';
import { say, type Io } from './io.ts';

/** Prints the games that `--games` names; returns 0. Errors: `usage`, `missing`, `data`. */
export function printGames({ games: source, type, json }: GamesListValues, { stdout, stderr }: Io): number {
  const list = listGames(source);
  const chosen = list.games.filter((game) => type === null || game.type === type);
  const games = chosen.map((game) => ({ id: game.id(), type: game.type }));
  if (json) say(stdout, JSON.stringify({ source, count: games.length, games, leftOut: list.leftOut }));
  else for (const game of games) say(stdout, `${game.id}  ${game.type}`);
  say(stderr, `${source}: ${games.length} games${type === null ? '' : ` of type ${type}`}`);
  if (list.leftOut !== null) say(stderr, list.leftOut);
  return 0;
}
