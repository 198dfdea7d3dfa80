/**
 * The client of version 2: a remote run plays a local environment. Each place says hello separately and plays one
 * episode at a time. If a restarted run does not know a place, the place says hello again and starts over.
 */
import { EmacError, messageOf, type Environment, type Episode, type Step } from '@emac/core';
import { z } from 'zod';
import { observationToWire } from '../wire/observation.ts';
import { routes } from '../wire/routes.ts';
import {
  orderSchema,
  welcomeSchema,
  wireVersion,
  type Described,
  type Order,
  type Report,
  type Welcome,
} from '../wire/schemas.ts';
import { parsedJson, postedJson, refusalIn } from '../wire/json-exchange.ts';
import type { Connection } from './post.ts';

export interface PlayedElsewhere extends Connection {
  readonly environment: Environment;
  /** the program's name */
  readonly name: string;
  /** concurrent episodes */
  readonly atOnce: number;
  /** of every task, which then has an episode for each seed; absent: each task is one game */
  readonly described?: Described;
  /** whether the environment shows pictures */
  readonly pictures: boolean;
  /** called for every order */
  readonly listener?: (order: Order) => void;
}

/**
 * Plays until the run has ended. Errors: `unavailable`, `interrupted`, `auth` for a token, `data` if the other side
 * does not speak version 2.
 */
export async function playElsewhere(played: PlayedElsewhere): Promise<void> {
  await Promise.all(Array.from({ length: played.atOnce }, () => place(played)));
}

async function place(played: PlayedElsewhere): Promise<void> {
  const under: UnderWay = { welcome: await hello(played), id: '', pictures: false, episode: null };
  try {
    let report: Report = nothing(under);
    for (;;) {
      const order = await next(played, report, under.welcome);
      if (order === null) {
        // the run timed this place out, or was restarted
        await leave(under);
        under.welcome = await hello(played);
        report = nothing(under);
        continue;
      }
      played.listener?.(order);
      if (order.do === 'finished') return;
      report = order.do === 'wait' ? nothing(under) : await carriedOut(played, under, order);
    }
  } finally {
    await leave(under);
  }
}

interface UnderWay {
  welcome: Welcome;
  /** the run's id of the episode */
  id: string;
  /** whether the run uses its pictures */
  pictures: boolean;
  episode: Episode | null;
}

function nothing({ welcome }: UnderWay): Report {
  return { kind: 'nothing', client: welcome.client };
}

async function leave(under: UnderWay): Promise<void> {
  await under.episode?.close();
  under.episode = null;
}

type Asked = Extract<Order, { do: 'begin' | 'step' }>;

/** Reports a fault of the world, which loses only the episode. */
async function carriedOut(played: PlayedElsewhere, under: UnderWay, order: Asked): Promise<Report> {
  const of = { client: under.welcome.client, episode: order.episode };
  try {
    if (order.do === 'begin')
      return { ...of, kind: 'begun', step: 0, ...(await begun(played, under, order)) };
    if (under.id !== order.episode || !under.episode) throw new Error('this episode is not running here');
    const step = await under.episode.step(order.command);
    return { ...of, kind: 'stepped', step: order.step, ...(await toWire(played, step, under)) };
  } catch (thrown) {
    const step = order.do === 'begin' ? 0 : order.step;
    return { ...of, kind: 'failed', step, reason: messageOf(thrown).slice(0, 300) };
  }
}

async function begun(
  { environment, described }: PlayedElsewhere,
  under: UnderWay,
  { game, seed, pictures, episode: id }: Extract<Asked, { do: 'begin' }>,
) {
  await leave(under);
  const task = environment.tasks.find((each) => each.id === game);
  if (!task) throw new Error(`there is no game ${game} here`);
  under.episode = await environment.begin(task, seed);
  Object.assign(under, { id, pictures });
  const hasArrays = described !== undefined;
  return { observation: await observationToWire(under.episode.first, { pictures, hasArrays }) };
}

async function toWire(
  { described }: PlayedElsewhere,
  { observation, reward, terminated, truncated, info }: Step,
  { pictures }: UnderWay,
) {
  const hasArrays = described !== undefined;
  const seen = await observationToWire(observation, { pictures, hasArrays });
  return { observation: seen, reward, won: info.won, done: terminated, truncated };
}

async function hello(played: PlayedElsewhere): Promise<Welcome> {
  const { environment, name, pictures, described } = played;
  const games = environment.tasks.map(({ id, type }) => ({ id, type }));
  const body = { version: wireVersion, name, games, pictures, ...(described && { environment: described }) };
  const response = await postedJson(played, routes.hello.path, { body, answerMs: longestAnswerMs });
  if (!response.ok) throw await refusalIn(response, played.url);
  return read(played, welcomeSchema, await response.text());
}

/** in addition to the run's poll time */
const longestAnswerMs = 30_000;

/** Null if the run does not know this client; repeats the request if the run expects another report. */
async function next(
  played: PlayedElsewhere,
  report: Report,
  { pollSeconds }: Pick<Welcome, 'pollSeconds'>,
): Promise<Order | null> {
  const answerMs = 1000 * pollSeconds + longestAnswerMs;
  const response = await postedJson(played, routes.next.path, { body: report, answerMs });
  if (response.ok) return read(played, orderSchema, await response.text());
  if (response.status === 409 && report.kind !== 'nothing') {
    await response.arrayBuffer();
    return next(played, { kind: 'nothing', client: report.client }, { pollSeconds });
  }
  if (response.status !== 404) throw await refusalIn(response, played.url);
  await response.arrayBuffer();
  return null;
}

function read<T>({ url }: Connection, schema: z.ZodType<T>, text: string): T {
  const { data } = schema.safeParse(parsedJson(text));
  if (data !== undefined) return data;
  throw new EmacError('data', `${url}: does not speak version ${wireVersion} of the wire`);
}
