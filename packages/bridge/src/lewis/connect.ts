/**
 * A listener or speaker at an address, over the published batch routes: in chunks with a pause in between. Each answer
 * carries its identity. The published services report none, so their address serves as identity, and a restart with
 * another adapter goes unnoticed.
 */
import { EmacError } from '@emac/core';
import { encodePng } from '@emac/images';
import { z } from 'zod';
import type { LewisPlayer, Listener, PictureQuestion, Speaker } from '@emac/lewis';
import { alike, untilAlike, type Given } from './cached.ts';
import { checkedReply, Fault, openConnection, type ConnectionOptions } from '../wire/connection.ts';
import { descriptionsSchema, healthSchema, itemsOf, scoresSchema, type AskedItem } from './messages.ts';
import type { Pictures } from './pictures.ts';
import { withinSize } from './request-sizes.ts';

export interface ConnectOptions extends Partial<ConnectionOptions> {
  /** items per request; default 4 */
  readonly chunkSize?: number;
  /** pause between two requests of a call, in milliseconds; default 50 */
  readonly chunkDelayMs?: number;
  /** reads pictures here and sends them as data URLs; default: sends their names, for the service to read */
  readonly inline?: Pictures | null;
}

/**
 * The listener at an address, with or without `/batch_score` at its end; default time limit 60 s. Errors: `usage` for
 * an invalid address. Errors of `ask`: `unavailable` after the last attempt, `auth`, `data` for a request the service
 * refuses as a whole, `interrupted`.
 */
export function connectListener(url: string, options: ConnectOptions = {}): Listener {
  return remote(url, {
    ...options,
    timeoutMs: options.timeoutMs ?? 60_000,
    path: '/batch_score',
    items: listenerItems,
    result: scoresSchema,
    // −1: it failed, or the request was empty
    answers: (result) => (result.predicted_index === -1 ? [] : result.yes_probabilities),
  });
}

/**
 * The speaker at an address, with or without `/batch_describe` at its end; default time limit 30 s. Errors: as
 * `connectListener`.
 */
export function connectSpeaker(url: string, options: ConnectOptions = {}): Speaker {
  return remote(url, {
    ...options,
    timeoutMs: options.timeoutMs ?? 30_000,
    path: '/batch_describe',
    // one picture per item: the original gives every item the descriptions of all
    items: (questions) =>
      questions.map(({ picture, question }) => ({ candidate_paths: [picture], question })),
    result: descriptionsSchema,
    answers: (result) => result.descriptions,
  });
}

/** pictures per question in one item */
const mostOfAnItem = 256;

function listenerItems(questions: readonly PictureQuestion[]): readonly AskedItem[] {
  return itemsOf(questions).flatMap(({ candidates, question }) =>
    chunks(candidates, mostOfAnItem).map((some) => ({ candidate_paths: [...some], question })),
  );
}

interface Remote<T, Result extends { readonly error?: string | undefined }> extends ConnectOptions {
  readonly timeoutMs: number;
  readonly path: string;
  readonly items: (questions: readonly PictureQuestion[]) => readonly AskedItem[];
  readonly result: z.ZodType<Result>;
  readonly answers: (result: Result) => readonly T[];
}

function remote<T, Result extends { readonly error?: string | undefined }>(
  url: string,
  options: Remote<T, Result>,
): LewisPlayer<T> {
  const { path, items, result, answers, chunkSize = 4, chunkDelayMs = 50, inline = null } = options;
  const address = addressOf(url, path);
  const connection = openConnection(address, options);
  const place = `${address}${path}`;
  const replySchema = z.object({ results: z.array(result) });
  const read = (reply: unknown, batch: readonly AskedItem[]): readonly T[] => {
    refuseError(reply, place);
    const { results } = checkedReply(replySchema, reply, place);
    requireLength(results.length, batch.length, `${place}: results`);
    return results.flatMap((each, number) => {
      const where = `${place}: results.${number}`;
      refuseError(each, where);
      const given = answers(each);
      requireLength(given.length, batch[number]!.candidate_paths.length, where);
      return given;
    });
  };
  const ask = async (batch: readonly AskedItem[]): Promise<readonly Given<T>[]> => {
    const { value, identity } = await connection.post(path, { batch }, (reply) => read(reply, batch));
    return value.map((answer) => ({ answer, identity: identity ?? address }));
  };
  const identity = async (): Promise<string> => {
    const health = `${address}/health`;
    const told = await connection.get('/health', (reply) => checkedReply(healthSchema, reply, health));
    return told?.identity ?? address;
  };
  const all = async (questions: readonly PictureQuestion[]): Promise<readonly Given<T>[]> => {
    const given: Given<T>[] = [];
    let requests = 0;
    for (const chunk of chunks(items(questions), chunkSize)) {
      for (const batch of inline ? withinSize(await inlined(chunk, inline)) : [chunk]) {
        if (requests++ > 0) await connection.pause(chunkDelayMs);
        given.push(...(await ask(batch)));
      }
    }
    return given;
  };
  return {
    identity,
    ask: (questions) =>
      untilAlike(async () => {
        const given = await all(questions);
        return alike(given, given[0]?.identity ?? (await identity()));
      }),
  };
}

const errorSchema = z.object({ error: z.string() });

/** The error of an item or of the whole reply, as the services write it. */
function refuseError(said: unknown, place: string): void {
  const { data } = errorSchema.safeParse(said);
  if (data) throw new Fault(`${place}: failed: ${data.error.slice(0, 300)}`);
}

function requireLength(got: number, asked: number, place: string): void {
  if (got !== asked) throw new Fault(`${place}: must be ${asked} answers, got ${got}`);
}

function inlined(items: readonly AskedItem[], pictures: Pictures): Promise<AskedItem[]> {
  const url = async (name: string) => {
    const png = await encodePng(await pictures.frame(name));
    return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  };
  return Promise.all(
    items.map(async ({ candidate_paths: names, question }) => ({
      candidate_paths: await Promise.all(names.map(url)),
      question,
    })),
  );
}

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, place) =>
    list.slice(place * size, (place + 1) * size),
  );
}

/** Removes the route at the end. */
function addressOf(url: string, path: string): string {
  const given = URL.canParse(url) ? new URL(url) : null;
  if (given === null || !/^https?:$/.test(given.protocol) || given.username !== '' || given.search !== '')
    throw new EmacError(
      'usage',
      `service of the game: must be an address such as http://127.0.0.1:9000, got ${JSON.stringify(url)}`,
    );
  const way = given.pathname.replace(/\/+$/, '');
  const before = [path, path.replace('batch_', '')].find((route) => way.endsWith(route));
  return `${given.origin}${before === undefined ? way : way.slice(0, -before.length)}`;
}
