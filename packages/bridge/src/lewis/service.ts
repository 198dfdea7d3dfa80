/**
 * The published services of the game: `/score` and `/batch_score` of a listener, `/describe` and `/batch_describe` of a
 * speaker, `/health` of both. Picture names are resolved for untrusted clients; questions of all requests are answered
 * in batches, and each once.
 */
import { setMaxListeners } from 'node:events';
import { EmacError } from '@emac/core';
import {
  scoreCandidates,
  type LewisPlayer,
  type Listener,
  type PictureQuestion,
  type Speaker,
} from '@emac/lewis';
import { Hono, type Context } from 'hono';
import type { z } from 'zod';
import { batches } from '../server/batches.ts';
import { jsonOf } from '../server/json-body.ts';
import { internalFault, refused, RefusedRequest } from '../server/refusal.ts';
import { realTimer, type Timer } from '../world/timer.ts';
import { alike, cachedPlayer, untilAlike, type CacheOptions, type Given } from './cached.ts';
import { batchSchema, identityHeader, itemSchema, mostPictures, type AskedItem } from './messages.ts';
import { RefusedPicture, type Pictures } from './pictures.ts';

export interface ServiceOptions extends CacheOptions {
  /** the player's pictures; it receives names from `nameOf` */
  readonly pictures: Pictures;
  /** concurrent calls of the model; INFERENCE_CONCURRENCY */
  readonly concurrency: number;
  /** longest wait for a place, in milliseconds; INFERENCE_ACQUIRE_TIMEOUT */
  readonly acquireTimeoutMs: number;
  /** pictures per call of the model; LISTENER_BATCH_SIZE, SPEAKER_BATCH_SIZE */
  readonly batchSize: number;
  /** the model's display name */
  readonly model: string;
  /** milliseconds from any origin, for `took` */
  readonly now: () => number;
  readonly timer?: Timer;
  /** called with faults; clients learn only that there was one */
  readonly onFault?: (thrown: unknown) => void;
}

export type Who = 'Listener' | 'Speaker';

/** The answers to an item's pictures, or the client's error message. */
type Outcome<T> = { readonly answers: readonly T[] } | { readonly error: string };

interface Role<T> {
  readonly who: Who;
  readonly isAnswer: (answer: T) => boolean;
  /** the single-item route, and its reply except `took` */
  readonly one: { readonly path: string; reply(outcome: Outcome<T>): object };
  /** the batch route, and each item's result */
  readonly many: { readonly path: string; result(outcome: Outcome<T>, item: AskedItem): object };
}

/**
 * A listener's service as an application. A result of `/batch_score` without answers has predicted_index −1 and a
 * reason in `error`.
 */
export function listenerService(options: ServiceOptions & { readonly listener: Listener }): Hono {
  return serviceOf(options.listener, listening, options);
}

/**
 * A speaker's service as an application. A result of `/batch_describe` without answers has no descriptions and a reason
 * in `error`.
 */
export function speakerService(options: ServiceOptions & { readonly speaker: Speaker }): Hono {
  return serviceOf(options.speaker, speaking, options);
}

const listening: Role<number> = {
  who: 'Listener',
  isAnswer: (answer) => answer >= 0 && answer <= 1,
  one: {
    path: '/score',
    reply: (outcome) => ('error' in outcome ? outcome : scored(outcome.answers)),
  },
  many: {
    path: '/batch_score',
    result: (outcome, { candidate_paths: candidates }) =>
      'error' in outcome
        ? { yes_probabilities: candidates.map(() => 0), predicted_index: -1, reward_score: 0, ...outcome }
        : scored(outcome.answers),
  },
};

function scored(yesProbabilities: readonly number[]) {
  const { predicted, rewardScore } = scoreCandidates(yesProbabilities);
  return { yes_probabilities: yesProbabilities, predicted_index: predicted, reward_score: rewardScore };
}

const speaking: Role<string> = {
  who: 'Speaker',
  isAnswer: (answer) => typeof answer === 'string',
  one: {
    path: '/describe',
    reply: (outcome) => {
      if ('error' in outcome) return outcome;
      const { length, 0: description } = outcome.answers;
      if (length === 1) return { description };
      return {
        error: `candidate_paths: must be one picture, got ${length}; use /batch_describe for several`,
      };
    },
  },
  many: {
    path: '/batch_describe',
    // each item has its own descriptions; the original gives every item all of them
    result: (outcome) =>
      'error' in outcome ? { descriptions: [], ...outcome } : { descriptions: outcome.answers },
  },
};

/** The application of a service; `fetch` answers requests (see `listen`). */
function serviceOf<T>(player: LewisPlayer<T>, role: Role<T>, options: ServiceOptions): Hono {
  const { who, one, many } = role;
  const { model, now, onFault = () => {} } = options;
  const queue = queued(player, role, options);
  const kept = cachedPlayer(queue.player, options);
  const answered = async (context: Context, items: readonly AskedItem[]): Promise<readonly Outcome<T>[]> => {
    const { outcomes, identity } = await outcomesOf(items, kept, options);
    const named = identity ?? (await kept.identity().catch(() => null));
    if (named !== null) context.header(identityHeader, encodeURI(named));
    return outcomes;
  };
  const took = (since: number): number => (now() - since) / 1000;
  const app = new Hono();
  app.onError((thrown, context) => {
    if (thrown instanceof Busy) return unavailable(`${who} busy; try again later`);
    if (thrown instanceof RefusedRequest) return refused(thrown.refusal);
    // the client is gone if the signal has fired
    if (!context.req.raw.signal.aborted) onFault(thrown);
    if (thrown instanceof EmacError && thrown.code === 'unavailable')
      return unavailable(`${who} cannot answer now; try again later`);
    return refused(internalFault);
  });
  const paths = ['/health', one.path, many.path];
  app.notFound(() =>
    refused({ status: 404, code: 'not_found', message: `Not found; this service has ${paths.join(', ')}.` }),
  );
  app.get('/health', async (context) =>
    context.json({ status: 'ok', model, queue: queue.waiting(), identity: await kept.identity() }),
  );
  app.post(one.path, async (context) => {
    const start = now();
    const item = await bodyOf(context, itemSchema);
    if (item instanceof Response) return item;
    const [outcome] = await answered(context, [item]);
    const reply = one.reply(outcome!);
    return context.json('error' in reply ? { error: reply.error } : { ...reply, took: took(start) });
  });
  app.post(many.path, async (context) => {
    const start = now();
    const body = await bodyOf(context, batchSchema);
    if (body instanceof Response) return body;
    const { batch } = body;
    if (batch.reduce((sum, item) => sum + item.candidate_paths.length, 0) > mostPictures)
      return invalid({ path: ['batch'], message: `may name ${mostPictures} pictures`, code: 'too_big' });
    const outcomes = await answered(context, batch);
    const results = outcomes.map((outcome, place) => many.result(outcome, batch[place]!));
    return context.json({ results, took: took(start) });
  });
  return app;
}

/** The outcomes of items, whose answers are of one identity; undefined without answers. Errors: `Busy`. */
function outcomesOf<T>(
  items: readonly AskedItem[],
  player: LewisPlayer<T>,
  { pictures, onFault = () => {} }: Pick<ServiceOptions, 'pictures' | 'onFault'>,
) {
  const settled = async (item: AskedItem): Promise<Outcome<T> & { readonly identity?: string }> => {
    try {
      const names = await Promise.all(item.candidate_paths.map((name) => pictures.nameOf(name)));
      if (names.length === 0) return { answers: [] };
      return await player.ask(names.map((picture) => ({ picture, question: item.question })));
    } catch (thrown) {
      if (thrown instanceof Busy) throw thrown;
      if (!(thrown instanceof RefusedPicture)) onFault(thrown);
      return { error: wordsFor(thrown) };
    }
  };
  return untilAlike(async () => {
    const outcomes = await Promise.all(items.map(settled));
    const [identity, ...others] = new Set(outcomes.flatMap((each) => each.identity ?? []));
    return others.length > 0 ? null : { outcomes, identity };
  });
}

/** No place was free in time. */
class Busy extends Error {
  override readonly name = 'Busy';
}

/** The player behind a queue: as in the published services, a call has one question and several pictures, from any requests. */
function queued<T>(
  player: LewisPlayer<T>,
  { who, isAnswer }: Role<T>,
  { batchSize, concurrency, acquireTimeoutMs, timer = realTimer }: ServiceOptions,
): { readonly player: LewisPlayer<T>; readonly waiting: () => number } {
  const queue = batches({
    answer: async (questions: readonly PictureQuestion[]): Promise<readonly Given<T>[]> => {
      const { answers, identity } = await player.ask(questions);
      if (answers.length !== questions.length || !answers.every(isAnswer))
        throw new EmacError(
          'internal',
          `${who}: must answer ${questions.length} questions, got ${JSON.stringify(answers)}`,
        );
      return answers.map((answer) => ({ answer, identity }));
    },
    groupOf: ({ question }) => question,
    most: batchSize,
    concurrency,
    isOfOne: (thrown) => thrown instanceof EmacError && thrown.code === 'data',
  });
  const inTime = async (questions: readonly PictureQuestion[]): Promise<readonly Given<T>[]> => {
    const late = new AbortController();
    // every question listens to it
    setMaxListeners(0, late.signal);
    const cancel = timer.after(acquireTimeoutMs, () => late.abort(new Busy()));
    return Promise.all(questions.map((each) => queue.ask(each, late.signal))).finally(cancel);
  };
  return {
    waiting: () => queue.waiting,
    player: {
      identity: () => player.identity(),
      ask: (questions) =>
        untilAlike(async () => {
          const given = await inTime(questions);
          return alike(given, given[0]!.identity);
        }),
    },
  };
}

/** Other faults' messages are for the server's log only. */
function wordsFor(thrown: unknown): string {
  if (thrown instanceof RefusedPicture) return thrown.message;
  return thrown instanceof EmacError && thrown.code === 'data'
    ? 'The model rejects this question or picture; it may be too long.'
    : 'The model failed to answer; the log of its service says why.';
}

/** Replies while a service's model is loading. */
export function loadingService(who: Who): Hono {
  const app = new Hono();
  app.get('/health', () =>
    Response.json({ status: 'loading' }, { status: 503, headers: { 'retry-after': '5' } }),
  );
  app.all('*', () => unavailable(`${who} is loading its model; try again later`, 5));
  return app;
}

function unavailable(detail: string, seconds = 1): Response {
  return Response.json({ detail }, { status: 503, headers: { 'retry-after': String(seconds) } });
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code: string;
}

/** In the form of the published services' framework. */
function invalid({ path, message, code }: Issue): Response {
  return Response.json({ detail: [{ loc: ['body', ...path], msg: message, type: code }] }, { status: 422 });
}

/** The body, or an error response. */
async function bodyOf<T>(context: Context, schema: z.ZodType<T>): Promise<T | Response> {
  const { success, data, error } = schema.safeParse(await jsonOf(context.req.raw));
  if (success) return data;
  const { path, message, code } = error.issues[0]!;
  return invalid({ path, message, code: code ?? 'invalid' });
}
