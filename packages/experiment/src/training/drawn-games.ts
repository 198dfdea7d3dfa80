/** The games of a run: drawn where it begins, the same again where it goes on. */
import { EmacError, type Random } from '@emac/core';
import type { HttpWorld } from '@emac/bridge';
import type { TrainConfig } from '../config/train-config.ts';
import type { Host } from '../host.ts';
import {
  drawGames,
  drawGamesAfter,
  gamesNamed,
  loadGames,
  remoteList,
  type GameList,
  type ListedTask,
  type PlayedBefore,
} from '../tasks/games.ts';
import { connectedTo } from '../tasks/remote-world.ts';
import { ownPlay, refuseArriving, refusePlanner, remotePlay, type RunPlay } from '../tasks/run-play.ts';
import type { Continued } from './plan.ts';

export interface Draw {
  /** what the reference played */
  readonly before: PlayedBefore | null;
  readonly random: Random;
}

export interface DrawnGames {
  readonly play: RunPlay;
  /** what was drawn from; null where nothing was */
  readonly list: Pick<GameList<ListedTask>, 'source' | 'leftOut'> | null;
  /** which games these are, where that is not a plain draw */
  readonly said: string | null;
}

/** Games of files; none without a list. */
export function ownGames(
  asked: TrainConfig,
  continued: Continued | undefined,
  { list, ...draw }: Draw & { readonly list: GameList | null },
): DrawnGames {
  if (list === null) return { play: ownPlay([]), list, said: null };
  const { listed, said } = drawn(asked, continued, { ...draw, list });
  return { play: ownPlay(loadGames(listed)), list, said };
}

/** Games of the clients that connect. Errors: `interrupted`, `usage`, `data`. */
export async function remoteGames(
  asked: TrainConfig,
  continued: Continued | undefined,
  { world, host, ...draw }: Draw & { readonly world: HttpWorld; readonly host: Host },
): Promise<DrawnGames> {
  refusePlanner(asked.expert);
  const connected = await connectedTo(world, host);
  if (connected.wire === 'published') {
    const play = remotePlay({ world, tasks: [], arriving: asked.play.gamesPerRound }, host);
    requireOneByOne(asked, play);
    if (continued && continued.drawn.length > 0) throw otherWire(continued, 'version 2');
    return { play, list: null, said: null };
  }
  if (continued && continued.drawn.length === 0) throw otherWire(continued, 'the published wire');
  const list = remoteList(connected.games);
  const { listed, said } = drawn(asked, continued, { ...draw, list });
  const tasks = listed.map(({ id }) => connected.games.find((game) => game.id === id())!);
  return { play: remotePlay({ world, tasks, arriving: null }, host), list, said };
}

/** A client of the published wire plays one game at a time, and nobody knows which before it comes. */
function requireOneByOne({ play: { episodesPerUpdate }, probe }: TrainConfig, play: RunPlay): void {
  if (episodesPerUpdate > 1)
    refuseArriving(play, `--episodes-per-update ${episodesPerUpdate}`, 'plays one game at a time; give 1');
  if (probe === true)
    refuseArriving(
      play,
      '--probe expert',
      'brings a game once a round, so the expert cannot play it before; give none',
    );
}

function otherWire({ folder }: Continued, wire: string): EmacError {
  return new EmacError('data', `${folder}: was begun with a client of ${wire}; start such a one to go on`);
}

interface From<Listed extends ListedTask> extends Draw {
  readonly list: GameList<Listed>;
}

/** A run that goes on plays what it drew. */
function drawn<Listed extends ListedTask>(
  asked: TrainConfig,
  continued: Continued | undefined,
  from: From<Listed>,
): { readonly listed: readonly Listed[]; readonly said: string | null } {
  if (continued) return { listed: gamesNamed(from.list, continued.drawn), said: null };
  return newDraw(asked, from);
}

function newDraw<Listed extends ListedTask>({ play }: TrainConfig, { list, before, random }: From<Listed>) {
  const count = play.gamesPerRound;
  if (before === null) return { listed: drawGames(list, count, random), said: null };
  const { games, unsolved, unseen, solved } = drawGamesAfter(list, count, { before, random });
  const said = `games: ${unsolved} that the reference's run did not solve, ${unseen} that it never saw, ${solved} that it solved`;
  return { listed: games, said };
}
