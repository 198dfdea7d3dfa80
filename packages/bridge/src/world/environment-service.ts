/**
 * An environment at an address, for programs that want one: the other direction of a world that connects. It lists its games,
 * begins episodes, any number at once, and carries out steps; `connectWorld` is its client.
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
  /** episodes under way at once; 256 by default */
  readonly episodes?: number;
  /** seconds after which an episode of which nothing is heard is closed; 600 by default */
  readonly idleSeconds?: number;
  readonly timer?: Timer;
  /** hears what the environment threw, of which the client is told nothing */
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
  /** steps that were asked for */
  step: number;
  /** what the last one brings */
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
  /** episodes that are about to be under way */
  beginning: number;
}

async function leave({ episodes }: Room, id: string): Promise<void> {
  const under = episodes.get(id);
  episodes.delete(id);
  under?.cancel();
  await under?.episode.close();
}

/** From now on it may be left alone for so long. */
function keep(room: Room, id: string, under: UnderWay): void {
  under.cancel();
  under.cancel = room.timer.after(room.idleMs, () => void leave(room, id).catch(() => {}));
}

async function begin(room: Room, { game, seed, pictures }: z.infer<typeof beginSchema>) {
  const { environment, episodes, most } = room;
  const task = environment.tasks.find(({ id }) => id === game);
  if (!task) throw deskError('unknown_game', 'There is no such game.');
  if (episodes.size + room.beginning >= most)
    throw deskError('overloaded', `There are ${most} episodes under way, as many as there may be.`);
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
  if (!under) throw deskError('unknown_episode', 'There is no such episode, or it was closed.');
  keep(room, id, under);
  if (number === under.step && under.last) return under.last;
  if (number !== under.step + 1)
    throw deskError('out_of_step', `Step ${under.step + 1} comes next, not step ${number}.`);
  under.step = number;
  under.last = orLeft(room, id, stepped(under, command, under.last));
  return under.last;
}

/** One after the other, whenever they are asked for. */
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

/** A fault of the environment ends its episode alone. */
async function orLeft<T>(room: Room, id: string, coming: Promise<T>): Promise<T> {
  try {
    return await orFailed(room, coming);
  } catch (thrown) {
    await leave(room, id);
    throw thrown;
  }
}

/** What an environment says of its fault is for people here. */
async function orFailed<T>({ onFault }: Room, coming: Promise<T>): Promise<T> {
  try {
    return await coming;
  } catch (thrown) {
    // of the step before this one
    if (thrown instanceof DeskError) throw thrown;
    onFault(thrown);
    throw deskError('world_failed', 'The environment failed; the log of its server says why.');
  }
}
