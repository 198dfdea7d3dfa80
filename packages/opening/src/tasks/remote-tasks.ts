/** Games of clients, played once each, in list order or in order of arrival. */
import { EmacError, type Random } from '@emac/core';
import type { WorldConfig } from '@emac/settings';
import { drawGames, remoteList, shortage } from '../environments/games.ts';
import type { Host } from '../host.ts';
import { connectedTo, worldsOf } from './remote-world.ts';
import { remotePlay, type RunPlay } from './run-play.ts';

export interface Once {
  /** the flag for their number */
  readonly flag: string;
  /** null for all */
  readonly count: number | null;
  /** of the draw; without it the games are taken in their order, task types in turn */
  readonly random?: Random;
  readonly host: Host;
}

/** Opens a port and waits for clients. Errors: `usage`, `cannot-create`, `interrupted`. */
export async function remoteTasks(
  config: WorldConfig,
  { flag, count, random, host }: Once,
): Promise<{ readonly play: RunPlay; readonly notes: readonly (string | null)[] }> {
  const world = await worldsOf(host).open(config, host);
  const connected = await connectedTo(world, host);
  if (connected.wire === 'published') {
    if (count === null)
      throw new EmacError(
        'usage',
        `${flag}: is required, as a client of the published wire does not give its number of games`,
      );
    return { play: remotePlay({ world, tasks: [], arriving: count }, host), notes: [] };
  }
  const list = remoteList(connected.games);
  const drawn = drawGames(list, count ?? list.games.length, random ?? null);
  const games = new Map(connected.games.map((game) => [game.id, game]));
  const tasks = drawn.map(({ id }) => games.get(id())!);
  const play = remotePlay({ world, tasks, arriving: null }, host);
  return { play, notes: [shortage(flag, tasks.length, count ?? 0)] };
}
