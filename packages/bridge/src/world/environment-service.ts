/**
 * Serves an environment to other programs: the reverse of a world that connects to a run. It lists its games, begins
 * episodes, any number at once, and makes steps; `connectWorld` is its client.
 */
import { randomUUID } from 'node:crypto';
import type { Environment, Episode } from '@emac/core';
import { Hono } from 'hono';
import type { z } from 'zod';
import { refused } from '../server/refusal.ts';
import { answerJson, notFound, refusalWithoutPictures } from '../wire/answers.ts';
import { DeskError, deskError } from '../wire/desk-error.ts';
import { observationToWire } from '../wire/observation.ts';
import { openapi } from '../wire/openapi.ts';
import { environmentRoutes as routes } from '../wire/routes.ts';
import { wireVersion, type beginSchema, type steppedSchema, type stepSchema } from '../wire/schemas.ts';
import { realTimer, type Timer } from './timer.ts';

export interface EnvironmentServiceOptions {
  /** concurrent episodes; default 256 */
  readonly episodes?: number;
  /** seconds before an idle episode is closed; default 600 */
  readonly idleSeconds?: number;
  readonly timer?: Timer;
  /** called with faults of the environment, which clients do not see */
  readonly onFault?: (thrown: unknown) => void;
}

export interface EnvironmentService {
  readonly app: Hono;
  /** Closes every episode. */
  close(): Promise<void>;
}

type Stepped = z.infer<typeof steppedSchema>;

interface UnderWay {
  readonly episode: Episode;
  readonly pictures: boolean;
  /** number of steps requested */
  step: number;
  /** the last step's result */
  last: Promise<Stepped> | null;
  cancel: () => void;
}

/** The application; `listen` puts it on a port. */
export function environmentService(
  environment: Environment,
  {
    episodes = 256,
    idleSeconds = 600,
    timer = realTimer,
    onFault = () => {},
  }: EnvironmentServiceOptions = {},
): EnvironmentService {
  const room: Room = {
    environment,
    most: episodes,
    idleMs: 1000 * idleSeconds,
    timer,
    onFault,
    episodes: new Map(),
    beginning: 0,
  };
  const app = new Hono();
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/openapi.json', (context) => context.json(openapi(routes)));
  const games = environment.tasks.map(({ id, type }) => ({ id, type }));
  app.get(routes.games.path, (context) => context.json({ version: wireVersion, games }));
  app.post(routes.begin.path, (context) =>
    answerJson(context, routes.begin.takes, (said) => begin(room, said)),
  );
  app.post(routes.step.path, (context) => answerJson(context, routes.step.takes, (said) => step(room, said)));
  app.post(routes.close.path, (context) =>
    answerJson(context, routes.close.takes, async ({ episode }) => {
      await leave(room, episode);
      return {};
    }),
  );
  app.notFound(() => refused(notFound));
  app.onError(refusalWithoutPictures);
  return {
    app,
    async close() {
      await Promise.all([...room.episodes.keys()].map((id) => leave(room, id)));
    },
  };
}

interface Room {
  readonly environment: Environment;
  readonly most: number;
  readonly idleMs: number;
  readonly timer: Timer;
  readonly onFault: (thrown: unknown) => void;
  readonly episodes: Map<string, UnderWay>;
  /** episodes being started */
  beginning: number;
}

async function leave({ episodes }: Room, id: string): Promise<void> {
  const under = episodes.get(id);
  episodes.delete(id);
  under?.cancel();
  await under?.episode.close();
}

/** Restarts the episode's idle time. */
function keep(room: Room, id: string, under: UnderWay): void {
  under.cancel();
  under.cancel = room.timer.after(room.idleMs, () => void leave(room, id).catch(() => {}));
}

async function begin(room: Room, { game, seed, pictures }: z.infer<typeof beginSchema>) {
  const { environment, episodes, most } = room;
  const task = environment.tasks.find(({ id }) => id === game);
  if (!task) throw deskError('unknown_game', 'Unknown game.');
  if (episodes.size + room.beginning >= most)
    throw deskError('overloaded', `The limit of ${most} running episodes is reached.`);
  room.beginning++;
  try {
    const episode = await orFailed(room, environment.begin(task, seed));
    const id = randomUUID();
    const under: UnderWay = { episode, pictures, step: 0, last: null, cancel: () => {} };
    episodes.set(id, under);
    keep(room, id, under);
    const observation = await orLeft(room, id, observationToWire(episode.first, under));
    return { episode: id, observation };
  } finally {
    room.beginning--;
  }
}

async function step(
  room: Room,
  { episode: id, step: number, command }: z.infer<typeof stepSchema>,
): Promise<Stepped> {
  const under = room.episodes.get(id);
  if (!under) throw deskError('unknown_episode', 'The episode is unknown or was closed.');
  keep(room, id, under);
  if (number === under.step && under.last) return under.last;
  if (number !== under.step + 1)
    throw deskError('out_of_step', `Step ${under.step + 1} comes next, not step ${number}.`);
  under.step = number;
  under.last = orLeft(room, id, stepped(under, command, under.last));
  return under.last;
}

/** Makes steps one after another, even if requested at once. */
async function stepped(
  { episode, pictures }: UnderWay,
  command: string,
  before: Promise<Stepped> | null,
): Promise<Stepped> {
  await before;
  const { observation, reward, terminated, truncated, info } = await episode.step(command);
  const seen = await observationToWire(observation, { pictures });
  return { observation: seen, reward, won: info.won, done: terminated, truncated };
}

/** A fault of the environment ends only its episode. */
async function orLeft<T>(room: Room, id: string, coming: Promise<T>): Promise<T> {
  try {
    return await orFailed(room, coming);
  } catch (thrown) {
    await leave(room, id);
    throw thrown;
  }
}

/** An environment's error messages are for the server's log. */
async function orFailed<T>({ onFault }: Room, coming: Promise<T>): Promise<T> {
  try {
    return await coming;
  } catch (thrown) {
    // thrown by the step before
    if (thrown instanceof DeskError) throw thrown;
    onFault(thrown);
    throw deskError('world_failed', 'The environment failed; the log of its server says why.');
  }
}
