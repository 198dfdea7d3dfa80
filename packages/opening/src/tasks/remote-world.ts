/** The world that clients connect to, opened when it is first needed and kept for all that follows: phases, evaluation. */
import type { Connected, HttpWorld } from '@emac/bridge';
import { EmacError } from '@emac/core';
import type { WorldConfig } from '@emac/settings';
import type { Host, RemoteWorlds } from '../host.ts';

/** Nothing is open yet. */
function remoteWorlds(): RemoteWorlds {
  let opened: HttpWorld | null = null;
  return {
    open: async (config, host) => (opened ??= await openWorld(config, host)),
    async close() {
      await opened?.close();
      opened = null;
    },
  };
}

async function openWorld(config: WorldConfig, { env, listener }: Host): Promise<HttpWorld> {
  const { addressesIn, openHttpWorld, readToken } = await import('@emac/bridge');
  const { port, host, allow, clients, stepSeconds, clientSeconds, restarts } = config;
  const file = env['EMAC_TOKEN_FILE'];
  return openHttpWorld({
    port,
    host,
    clients,
    stepSeconds,
    clientSeconds,
    restarts,
    token: file ? readToken(file) : null,
    ...(allow !== null && { allow: addressesIn(allow) }),
    listener: ({ kind, name, pictures }) =>
      listener?.note?.(
        `client ${name}: ${kind === 'gone' ? 'gone' : pictures ? 'there' : 'there, without pictures'}`,
      ),
  });
}

/** Waits for clients, and reports it. Errors: `interrupted`. */
export async function connectedTo(world: HttpWorld, { listener, signal }: Host): Promise<Connected> {
  if (world.isConnected()) return world.connected(signal);
  listener?.note?.(`waiting for a client: npx emac world --connect ${world.address}, or any other client`);
  const connected = await world.connected(signal);
  const what =
    connected.wire === 'published'
      ? 'speaks the published wire and brings its games'
      : `speaks version 2 of the wire; games: ${connected.games.length}`;
  listener?.note?.(`the client ${what}`);
  return connected;
}

/** The remote worlds of a call; the host provides them if several calls share them. */
export function worldsOf(host: Host): RemoteWorlds {
  if (host.worlds) return host.worlds;
  throw new EmacError('internal', 'remote world: is not open');
}

/** The host with remote worlds, opened for it unless it has some; `close` ends those that were opened. */
export function withWorlds<H extends Host>(host: H): { readonly kept: H; close(): Promise<void> } {
  if (host.worlds) return { kept: host, close: async () => {} };
  const worlds = remoteWorlds();
  return { kept: { ...host, worlds }, close: () => worlds.close() };
}

/** Does the work with worlds that are open as long as it lasts. */
export async function keepingWorlds<T, H extends Host>(host: H, work: (host: H) => Promise<T>): Promise<T> {
  const { kept, close } = withWorlds(host);
  try {
    return await work(kept);
  } finally {
    await close();
  }
}
