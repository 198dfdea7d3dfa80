/** Common parts of both services: health, busy replies, invalid requests. */
import { EmacError } from '@emac/core';
import { Hono, type Context } from 'hono';
import type { z } from 'zod';
import { jsonOf } from '../server/json-body.ts';
import { internalFault, refused, RefusedRequest } from '../server/refusal.ts';
import type { Answerer } from './answerer.ts';
import { asking, Busy, type AskingOptions, type Outcome } from './asking.ts';
import { batchSchema, identityHeader, itemSchema, mostPictures, type AskedItem } from './messages.ts';

export interface ServiceOptions extends AskingOptions {
  /** the model's display name */
  readonly model: string;
  /** milliseconds from any origin, for `took` */
  readonly now: () => number;
}

export interface ServedRoutes<T> {
  readonly who: Who;
  readonly answerer: Answerer<T>;
  /** the single-item route, and its reply except `took` */
  readonly one: { readonly path: string; reply(outcome: Outcome<T>, item: AskedItem): object };
  /** the batch route, and each item's result */
  readonly many: { readonly path: string; result(outcome: Outcome<T>, item: AskedItem): object };
}

export type Who = 'Listener' | 'Speaker';

/** The application of a service; `fetch` answers requests (see `listen`). */
export function serviceOf<T>({ who, answerer, one, many }: ServedRoutes<T>, options: ServiceOptions): Hono {
  const { model, now, onFault = () => {} } = options;
  const asked = asking(answerer, options);
  const answered = async (context: Context, items: readonly AskedItem[]): Promise<readonly Outcome<T>[]> => {
    const { identity, outcomes } = await asked.outcomes(items);
    if (identity !== null) context.header(identityHeader, encodeURI(identity));
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
    context.json({ status: 'ok', model, queue: asked.waiting, identity: await asked.identity() }),
  );
  app.post(one.path, async (context) => {
    const start = now();
    const item = await bodyOf(context, itemSchema);
    if (item instanceof Response) return item;
    const [outcome] = await answered(context, [item]);
    const reply = one.reply(outcome!, item);
    return context.json('error' in reply ? reply : { ...reply, took: took(start) });
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
