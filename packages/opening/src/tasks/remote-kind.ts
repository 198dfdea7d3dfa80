/**
 * ALFWorld with training games played by clients, for methods that choose tasks and repeat them: environments continue
 * from one update to the next, and attempts of a group begin alike. Held-out games are played here, as in every run of
 * games.
 */
import { EmacError, type OpenedKind, type Task, type TaskSource } from '@emac/core';
import { sha256 } from '@emac/files';
import { remotePrefix, usualEnvironment, type WorldConfig } from '@emac/settings';
import { listedTasks, remoteList } from '../environments/games.ts';
import { environmentsWith, isDescribedElsewhere, kindNamed } from '../environments/kind-of.ts';
import { playedElsewhere } from '../environments/kinds-elsewhere.ts';
import type { Host } from '../host.ts';
import { connectedTo, worldsOf } from './remote-world.ts';

/**
 * Opens a port and waits for clients. `own` is the same environment with local games. Errors: `usage` for a client of
 * the published wire, and for one with held-out games only; `cannot-create`, `interrupted`.
 */
export async function openRemoteKind(own: OpenedKind, config: WorldConfig, host: Host): Promise<OpenedKind> {
  const world = await worldsOf(host).open(config, host);
  const connected = await connectedTo(world, host);
  if (connected.wire === 'published')
    throw new EmacError(
      'usage',
      '--world http: this method chooses its games and repeats some, but a client of the published wire chooses them itself; connect a client of version 2',
    );
  const heldOut = new Set(listed(own.tasks.heldOut).map(({ id }) => id));
  const games = connected.games.filter(({ id }) => !heldOut.has(id));
  if (games.length === 0)
    throw new EmacError(
      'usage',
      `--world http: all ${connected.games.length} games of the client are held out; give others with --eval-on, or to the client`,
    );
  const there = new Set(games.map(({ id }) => id));
  const { signal } = host;
  const remote = world.environment({ tasks: games, count: 0, pictures: true, ...(signal && { signal }) });
  return {
    ...own,
    tasks: { ...own.tasks, training: listedTasks(remoteList(games)) },
    begin: (task, seed) => (there.has(task.id) ? remote : own).begin(task, seed),
    seats: () => world.seats(),
    versions: { games: sha256(games.map(({ id }) => id).join('\n')) },
  };
}

function listed({ count, at }: TaskSource): readonly Task[] {
  return Array.from({ length: count ?? 0 }, (_, number) => at(number));
}

/** Errors: `usage` if clients are to play an environment that they cannot describe, or must and do not. */
export function requirePlayable({ env, world }: { readonly env: string; readonly world: WorldConfig }): void {
  if (world.kind === 'own') {
    if (isDescribedElsewhere(env)) throw playedElsewhere(env);
    return;
  }
  const kind = kindNamed(env);
  const isNumbered = kind?.local !== undefined && kind.robot === undefined;
  if (env !== usualEnvironment && !isNumbered && !isDescribedElsewhere(env))
    throw new EmacError(
      'usage',
      `--world ${world.kind}: is for the games of ALFWorld, ${remotePrefix}… and ${environmentsWith((each) => each.robot === undefined)}, got --env ${env}; leave it out`,
    );
}
