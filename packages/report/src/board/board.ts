/**
 * Pages of the runs in a folder, and server-sent events for changes. Without a `control` nothing is
 * written. Requests for another host name are refused; otherwise a web page could read runs through a name pointed at
 * the board.
 */
import { EmacError, isLoopback, messageOf, notLoaded } from '@emac/core';
import { pageStyle, scriptOf, servedPage } from '@emac/pages/bundles';
import type { Hono } from 'hono';
import { apiRoutes, sendChanges } from './api.ts';
import type { Control } from './control.ts';
import { controlRoutes } from './control-routes.ts';
import { resultIndex, type ResultIndex } from './result-index.ts';
import { answersTo } from './host-names.ts';
import { readersOnly } from './token.ts';

export interface BoardOptions {
  /** folder of runs and evaluations */
  readonly folder: string;
  readonly now: () => Date;
  /** milliseconds between two looks at the files; default 1000 */
  readonly every?: number;
  /** default: one of its own */
  readonly index?: ResultIndex;
  /** what it may change; default: nothing */
  readonly control?: Control | null;
  /** needed for reading too, by requests as `Authorization: Bearer`; default: everyone who reaches the board may read */
  readonly readToken?: string | null;
  /** address that it listens on; default 127.0.0.1. Beyond this machine it needs a `readToken` */
  readonly host?: string;
}

/**
 * The board as an application; `fetch` answers requests. Its libraries are read here, since reports do without them. Errors: `usage`
 * for a board that other machines reach without a token.
 */
export async function board(options: BoardOptions): Promise<Hono> {
  const { folder, now, every = 1000, host = '127.0.0.1', control = null, readToken = null } = options;
  if (readToken === null && !isLoopback(host))
    throw new EmacError('usage', `board: ${host} is reachable by other machines; give a readToken`);
  const [{ Hono }, { bodyLimit }, { secureHeaders }, { streamSSE }] = await libraries();
  const app = new Hono();
  const api = {
    folder,
    index: options.index ?? resultIndex({ folder, now, cache: null }),
    now,
    every,
    control,
  };
  app.onError((thrown, context) => context.text(`This page cannot be made: ${messageOf(thrown)}`, 500));
  const contentSecurityPolicy = { defaultSrc: ["'self'"], imgSrc: ["'self'", 'data:'] };
  app.use(secureHeaders({ contentSecurityPolicy, xFrameOptions: 'DENY', referrerPolicy: 'no-referrer' }));
  app.use(async (context, next) => {
    const name = (context.req.header('host') ?? '').replace(/:\d+$/, '');
    if (!answersTo(name, host)) return context.text('This board does not answer under this host name.', 421);
    return next();
  });
  for (const path of ['/', '/run/:name', '/tables/:name', '/compare', '/start'])
    app.get(path, (context) => context.html(servedPage('EMAC: runs', 'board')));
  app.get('/board.js', (context) =>
    context.body(scriptOf('board'), 200, { 'content-type': 'text/javascript' }),
  );
  app.get('/style.css', (context) => context.body(pageStyle(), 200, { 'content-type': 'text/css' }));
  if (readToken !== null)
    for (const path of ['/api/*', '/events']) app.use(path, readersOnly(readToken, control?.token ?? null));
  app.get('/events', (context) => {
    // nobody would end the stream of a HEAD
    if (context.req.method === 'HEAD')
      return context.body(null, 200, { 'content-type': 'text/event-stream' });
    return streamSSE(context, (stream) => sendChanges(stream, api));
  });
  const limited = bodyLimit({
    maxSize: 64 << 10,
    onError: (context) => context.json({ error: 'A change has at most 64 KiB.' }, 413),
  });
  controlRoutes(app, { folder, control, readToken, limited });
  apiRoutes(app, api);
  return app;
}

/** Errors: `unavailable` if they do not load. */
async function libraries() {
  try {
    return await Promise.all([
      import('hono'),
      import('hono/body-limit'),
      import('hono/secure-headers'),
      import('hono/streaming'),
    ]);
  } catch (cause) {
    throw notLoaded('board: hono', cause);
  }
}
