/** Connects clients of either wire with the run; the first client decides the wire. */
import type { Task } from '@emac/core';
import type { Turns } from '../published/turns.ts';
import { deskError } from '../wire/desk-error.ts';
import type { Described, Game } from '../wire/schemas.ts';
import type { WorldHandlers } from './app.ts';
import type { Client, Desk } from './desk.ts';
import { until } from './until.ts';

/** The games, known once clients are connected. */
export type Connected =
  | {
      readonly wire: 'version 2';
      readonly games: readonly Task[];
      /** of every game, which then has an episode for each seed; null: each game is one task */
      readonly environment: Described | null;
    }
  | { readonly wire: 'published' };

export interface Meeting {
  /** the application's message handlers */
  readonly handlers: WorldHandlers;
  /** null until a client has come */
  wire(): Connected['wire'] | null;
  isConnected(): boolean;
  /** Waits for clients. Errors: `interrupted`. */
  connected(signal: AbortSignal | undefined): Promise<Connected>;
}

/** `needed`: number of clients of version 2 required. */
export function openMeeting(desk: Desk, turns: Turns, needed: number): Meeting {
  let wire: Connected['wire'] | null = null;
  let connected: Connected | null = null;
  const came = new Set<() => void>();
  const look = (): void => came.forEach((call) => call());
  desk.onChange(look);
  const speak = (spoken: Connected['wire']): void => {
    wire ??= spoken;
    if (wire !== spoken)
      throw deskError('other_wire', `The run speaks the ${wire} wire with another client.`);
  };
  const find = (): Connected | null => {
    if (wire === 'published') return { wire };
    const there = desk.clients();
    if (there.length < needed) return null;
    return { wire: 'version 2', games: allGames(there), environment: there[0]!.environment };
  };
  const onChange = (call: () => void) => {
    came.add(call);
    return () => came.delete(call);
  };
  return {
    handlers: {
      hello: (hello) => {
        speak('version 2');
        return desk.hello(hello);
      },
      next: (report) => desk.next(report),
      post: (message, key, gone) => {
        speak('published');
        const answer = turns.post(message, key, gone);
        look();
        return answer;
      },
    },
    wire: () => wire,
    isConnected: () => connected !== null,
    connected: async (signal) => (connected ??= await until({ find, onChange, signal })),
  };
}

/** In the first client's order; if others list other games, all games by id. */
function allGames(clients: readonly Client[]): Task[] {
  const [first, ...others] = clients.map(({ games }) => games);
  const all = new Map<string, Game>(first);
  for (const games of others) for (const [id, game] of games) if (!all.has(id)) all.set(id, game);
  const isOneList = others.every((games) => games.size === first!.size) && all.size === first!.size;
  const games = [...all.values()].map(({ id, type }) => ({ id, type }));
  return isOneList ? games : games.sort((one, other) => (one.id < other.id ? -1 : 1));
}
