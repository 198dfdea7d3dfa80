/** A robot that a client moves, such as LIBERO's: its held-out tasks are the initial states that clients offer, task types in turn. */
import { EmacError, type Episode, type OpenedKind, type TaskSource } from '@emac/core';
import type { WorldConfig } from '@emac/settings';
import { drawGames, remoteList } from '../environments/games.ts';
import { policyTexts } from '../environments/texts.ts';
import type { Host } from '../host.ts';
import { connectedTo, worldsOf } from './remote-world.ts';

/** Opens a port and waits for clients. Errors: `usage` without initial states of this environment; `cannot-create`, `interrupted`. */
export async function openClientRobot(env: string, config: WorldConfig, host: Host): Promise<OpenedKind> {
  const world = await worldsOf(host).open(config, host);
  const connected = await connectedTo(world, host);
  if (connected.wire === 'published')
    throw new EmacError(
      'usage',
      `--env ${env}: needs a client of version 2, this one speaks the published wire`,
    );
  const offered = new Map(
    connected.games.filter(({ id }) => id.startsWith(`${env}/`)).map((task) => [task.id, task]),
  );
  if (offered.size === 0)
    throw new EmacError(
      'usage',
      `--env ${env}: needs one or more initial states, clients offer none; let them offer some`,
    );
  const tasks = drawGames(remoteList([...offered.values()]), offered.size, null);
  const heldOut: TaskSource = {
    count: tasks.length,
    at: (number) => offered.get(tasks[Number(number)]!.id())!,
  };
  const { signal } = host;
  const remote = world.environment({
    tasks: [...offered.values()],
    count: 0,
    pictures: true,
    ...(signal && { signal }),
  });
  return {
    id: env,
    // the client ends its episodes
    maxSteps: Infinity,
    tasks: { training: { count: 0, at: heldOut.at }, heldOut },
    begin: async (task, seed) => withPicture(await remote.begin(task, seed)),
    speech: policyTexts,
    hasGoal: true,
    seats: () => world.seats(),
  };
}

/** Errors: `data` for a client without pictures. */
async function withPicture(episode: Episode): Promise<Episode> {
  if (episode.first.frames.length > 0) return episode;
  await episode.close();
  throw new EmacError('data', `${episode.task.id}: the client sent no picture; let it send pictures`);
}
