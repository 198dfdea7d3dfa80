/**
 * A remote world that connects: a server for clients, and the environment they form together. The first client decides
 * the wire: version 2, where the run chooses the games, or the published one, where the client brings them.
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
  /** clients of version 2 needed before anything begins; default 1 */
  readonly clients?: number;
  /** seconds before a client with an open order counts as gone; default 120 */
  readonly stepSeconds?: number;
  /** seconds to wait for a client if there is none; default 600 */
  readonly clientSeconds?: number;
  /** restarts of an episode whose client has gone; default 2 */
  readonly restarts?: number;
  /** longest time a request of an idle client stays open, in seconds; default 20 */
  readonly pollSeconds?: number;
  readonly timer?: Timer;
  /** called for clients of version 2 that arrive or are gone */
  readonly listener?: (event: ClientEvent) => void;
}

export interface RemotePlay {
  /** version 2: the games to play; published: games that have arrived already */
  readonly tasks: readonly Task[];
  /** published: games per round */
  readonly count: number;
  /** whether pictures are used */
  readonly pictures: boolean;
  /** stores play, in case this process is killed */
  readonly record?: WorldRecord;
  readonly signal?: AbortSignal;
}

export interface HttpWorld {
  /** such as `http://127.0.0.1:7860` */
  readonly address: string;
  /** True once the needed clients have arrived. */
  isConnected(): boolean;
  /** Waits for clients. Errors: `interrupted`. */
  connected(signal?: AbortSignal): Promise<Connected>;
  /** Errors of its episodes: `LostEpisode`; `unavailable` if no client comes in time; `interrupted`. */
  environment(play: RemotePlay): Environment;
  /** number of episodes that can run at once now */
  seats(): number;
  /** Tells every client that the run is over, and closes. */
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

/** A free client for a game. Errors: `unavailable` if none comes in time, `interrupted`. */
function takenClient(game: string, { desk, clientMs, timer, signal }: Taking): Promise<Client> {
  const fault = () =>
    new EmacError(
      'unavailable',
      `--world http: no client that can play ${game} was free within ${clientMs / 1000} s; start one, then resume`,
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
