/**
 * A world that runs elsewhere and connects: a server that clients come to, and the environment that they are together.
 * The first client decides which wire is spoken: version 2, where the run says what to play, or the published one, where
 * the client brings its games.
 */
import { EmacError, type Environment, type Task } from '@emac/core';
import { listen, type ListenOptions } from '../server/listen.ts';
import { publishedEnvironment } from '../published/environment.ts';
import { openTurns } from '../published/turns.ts';
import { worldApp } from './app.ts';
import { openDesk, type Client, type ClientEvent, type Desk } from './desk.ts';
import { openMeeting, type Connected } from './meeting.ts';
import { beginRemote } from './remote-episode.ts';
import { noRecord, type WorldRecord } from './record.ts';
import { realTimer, type Timer } from './timer.ts';
import { until } from './until.ts';

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

export interface RemotePlay {
  /** version 2: the games to play; published: those that have come already */
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

const usual = { clients: 1, stepSeconds: 120, clientSeconds: 600, pollSeconds: 20, restarts: 2 };

/** Opens a port for clients. Errors: those of `listen`. */
export async function openHttpWorld(options: HttpWorldOptions): Promise<HttpWorld> {
  const { timer = realTimer, listener } = options;
  const limits = { ...usual, ...options };
  const stepMs = 1000 * limits.stepSeconds;
  const pollMs = 1000 * limits.pollSeconds;
  const desk = openDesk({ pollMs, stepMs, timer, ...(listener && { listen: listener }) });
  const turns = openTurns();
  const meeting = openMeeting(desk, turns, limits.clients);
  const app = worldApp(meeting.handlers);
  const server = await listen({ ...served(options), fetch: (request) => app.fetch(request) });
  const waiting = { timer, clientMs: 1000 * limits.clientSeconds, stepMs };
  let episodes = 0;
  return {
    address: server.address,
    isConnected: () => meeting.isConnected(),
    connected: (signal) => meeting.connected(signal),
    environment({ tasks, count, pictures, record = noRecord, signal }) {
      if (meeting.wire() === 'published')
        return publishedEnvironment({ turns, tasks, count, record, ...waiting, ...(signal && { signal }) });
      const { restarts } = limits;
      const take = (game: string) => takenClient(game, { desk, signal, ...waiting });
      const newId = () => `e${++episodes}`;
      return {
        tasks,
        begin: (task, seed) =>
          beginRemote(task, seed, { take, newId, restarts, pictures, record: record.attempt(seed) }),
      };
    },
    seats: () => (meeting.wire() === 'published' ? 1 : Math.max(1, desk.clients().length)),
    async close() {
      desk.finish();
      turns.finish();
      await server.drain();
    },
  };
}

interface Taking {
  readonly desk: Desk;
  readonly clientMs: number;
  readonly timer: Timer;
  readonly signal: AbortSignal | undefined;
}

/** A free client for a game. Errors: `unavailable` where none comes in time, `interrupted`. */
function takenClient(game: string, { desk, clientMs, timer, signal }: Taking): Promise<Client> {
  const fault = () =>
    new EmacError(
      'unavailable',
      `--world http: no client that can play ${game} was free within ${clientMs / 1000} s; start one, then go on`,
    );
  return until(
    { find: () => desk.take(game), onChange: (call) => desk.onChange(call), signal },
    { after: (act) => timer.after(clientMs, act), fault },
  );
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
