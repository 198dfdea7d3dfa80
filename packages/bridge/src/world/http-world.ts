/**
 * A world that runs elsewhere and connects: a server that clients come to, and the environment that they are together.
 * The first client decides which wire is spoken: version 2, where the run says what to play, or the published one, where
 * the client brings its games.
 */
import { EmacError, type Environment, type Task } from '@emac/core';
import { listen, type Listening, type ListenOptions } from '../server/listen.ts';
import type { Game } from '../wire/schemas.ts';
import { publishedEnvironment } from '../published/environment.ts';
import { openTurns } from '../published/turns.ts';
import { worldApp } from './app.ts';
import { deskError } from '../wire/desk-error.ts';
import { openDesk, type Client, type ClientEvent } from './desk.ts';
import { beginRemote } from './remote-episode.ts';
import { noRecord, type WorldRecord } from './record.ts';
import { realTimer, type Timer } from './timer.ts';

export interface HttpWorldOptions extends Pick<
  ListenOptions,
  'port' | 'host' | 'token' | 'allow' | 'onFault'
> {
  /** clients of version 2 that have to be there before anything begins; 1 by default */
  readonly clients?: number;
  /** seconds after which a client that was asked for a step is taken for gone; 120 by default */
  readonly stepSeconds?: number;
  /** seconds to wait for a client where none is there any more; 600 by default */
  readonly clientSeconds?: number;
  /** how often an episode may be begun again where its client has gone; 2 by default */
  readonly restarts?: number;
  /** longest answer to a client that has nothing to do, in seconds; 20 by default */
  readonly pollSeconds?: number;
  readonly timer?: Timer;
  /** hears of clients of version 2 that come and go */
  readonly listener?: (event: ClientEvent) => void;
}

/** What is known of the games once clients are there. */
export type Connected =
  { readonly wire: 'version 2'; readonly games: readonly Task[] } | { readonly wire: 'published' };

export interface RemotePlay {
  /** version 2: the games to play; published: none */
  readonly tasks: readonly Task[];
  /** published: how many games make a round */
  readonly count: number;
  /** whether pictures are looked at */
  readonly pictures: boolean;
  /** where play is kept for the case that this process is killed */
  readonly record?: WorldRecord;
  readonly signal?: AbortSignal;
}

export interface HttpWorld {
  /** such as `http://127.0.0.1:7860` */
  readonly address: string;
  /** True once the clients that are needed have come. */
  isConnected(): boolean;
  /** Waits for clients. Errors: `interrupted`. */
  connected(signal?: AbortSignal): Promise<Connected>;
  /** Errors of its episodes: `LostEpisode`; `unavailable` where no client comes in time; `interrupted`. */
  environment(play: RemotePlay): Environment;
  /** how many episodes can be under way at once now */
  seats(): number;
  /** Tells every client that nothing more follows, and closes. */
  close(): Promise<void>;
}

/** Opens a port for clients. Errors: those of `listen`. */
export async function openHttpWorld(options: HttpWorldOptions): Promise<HttpWorld> {
  const {
    clients: needed = 1,
    stepSeconds = 120,
    clientSeconds = 600,
    pollSeconds = 20,
    restarts = 2,
  } = options;
  const { timer = realTimer, listener } = options;
  let wire: Connected['wire'] | null = null;
  let first: Connected | null = null;
  let episodes = 0;
  const came = new Set<() => void>();
  const desk = openDesk({
    pollMs: 1000 * pollSeconds,
    stepMs: 1000 * stepSeconds,
    timer,
    ...(listener && { listen: listener }),
  });
  const turns = openTurns();
  const speak = (spoken: Connected['wire']): void => {
    wire ??= spoken;
    if (wire !== spoken)
      throw deskError('other_wire', `The run speaks the ${wire} wire with another client.`);
  };
  const connection = (): Connected | null => {
    if (wire === 'published') return { wire };
    const there = desk.clients();
    return there.length < needed ? null : { wire: 'version 2', games: allGames(there) };
  };
  const look = (): void => came.forEach((call) => call());
  desk.onChange(look);
  const app = worldApp({
    hello: (hello) => {
      speak('version 2');
      return desk.hello(hello);
    },
    next: (report) => desk.next(report),
    post: (message, key) => {
      speak('published');
      const answer = turns.post(message, key);
      look();
      return answer;
    },
  });
  const server = await listen({ ...served(options), fetch: (request) => app.fetch(request) });

  const take = (game: string, signal: AbortSignal | undefined): Promise<Client> =>
    until(
      { find: () => desk.take(game), onChange: (call) => desk.onChange(call), signal },
      {
        after: (act) => timer.after(1000 * clientSeconds, act),
        fault: () =>
          new EmacError(
            'unavailable',
            `--world http: no client that can play ${game} was free within ${clientSeconds} s; start one for ${server.address}, then go on`,
          ),
      },
    );

  return {
    address: server.address,
    isConnected: () => first !== null,
    async connected(signal) {
      const onChange = (call: () => void) => {
        came.add(call);
        return () => came.delete(call);
      };
      return (first ??= await until({ find: connection, onChange, signal }));
    },
    environment({ tasks, count, pictures, record = noRecord, signal }) {
      if (wire === 'published') {
        const limits = { stepMs: 1000 * stepSeconds, clientMs: 1000 * clientSeconds, timer };
        return publishedEnvironment({ turns, count, record, ...limits, ...(signal && { signal }) });
      }
      return {
        tasks,
        begin: (task, seed) =>
          beginRemote(task, seed, {
            take: (game) => take(game, signal),
            newId: () => `e${++episodes}`,
            restarts,
            pictures,
            record: record.attempt(seed),
          }),
      };
    },
    seats: () => (wire === 'published' ? 1 : Math.max(1, desk.clients().length)),
    async close() {
      desk.finish();
      turns.finish();
      await server.drain();
    },
  };
}

function served({ port, host, token, allow, onFault }: HttpWorldOptions): Omit<ListenOptions, 'fetch'> {
  return {
    port,
    ...(host !== undefined && { host }),
    ...(token !== undefined && { token }),
    ...(allow && { allow }),
    ...(onFault && { onFault }),
    // a picture of 300 × 300 pixels is 1.4 MB as a list of numbers
    limits: { bodyBytes: 48 * 1024 * 1024 },
  };
}

/** In the order of the client that came first; where others list other games, all of them by their ids. */
function allGames(clients: readonly Client[]): Task[] {
  const [first, ...others] = clients.map(({ games }) => games);
  const all = new Map<string, Game>(first);
  for (const games of others) for (const [id, game] of games) if (!all.has(id)) all.set(id, game);
  const isOneList = others.every((games) => games.size === first!.size) && all.size === first!.size;
  const games = [...all.values()].map(({ id, type }) => ({ id, type }));
  return isOneList ? games : games.sort((one, other) => (one.id < other.id ? -1 : 1));
}

interface Awaited<T> {
  readonly find: () => T | null;
  readonly onChange: (call: () => void) => () => void;
  readonly signal: AbortSignal | undefined;
}

interface TimeLimit {
  readonly after: (act: () => void) => () => void;
  readonly fault: () => EmacError;
}

/** What is found, now or after a change. Errors: `interrupted`, that of the limit. */
function until<T>({ find, onChange, signal }: Awaited<T>, limit?: TimeLimit): Promise<T> {
  return new Promise((resolve, reject) => {
    const ends: (() => void)[] = [];
    const end = (): void => ends.forEach((each) => each());
    const fail = (fault: EmacError): void => {
      end();
      reject(fault);
    };
    const look = (): boolean => {
      const found = find();
      if (found === null) return false;
      end();
      resolve(found);
      return true;
    };
    if (look()) return;
    const stop = (): void =>
      fail(new EmacError('interrupted', 'stopped on request while waiting for a client'));
    if (signal?.aborted) return stop();
    ends.push(onChange(() => void look()));
    signal?.addEventListener('abort', stop);
    ends.push(() => signal?.removeEventListener('abort', stop));
    if (limit) ends.push(limit.after(() => fail(limit.fault())));
  });
}
