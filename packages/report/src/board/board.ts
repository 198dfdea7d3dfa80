/**
 * Pages of the runs in a folder, and server-sent events for changes. Without a `control` nothing is
 * written. Requests for another host name are refused; otherwise a web page could read runs through a name pointed at
 * the board.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EmacError, messageOf } from '@emac/core';
import { layout } from '@emac/runs';
import type { Hono } from 'hono';
import { comparePage, runPage, stripPage } from '../pages/live-pages.ts';
import { apiRoutes, sendChanges } from './api.ts';
import type { Control } from './control.ts';
import { controlRoutes } from './control-routes.ts';
import { resultIndex, type ResultIndex } from './result-index.ts';
import { runNames } from './run-list.ts';

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
  /** accepted host names */
  readonly hosts?: readonly string[];
}

const loopback = ['127.0.0.1', 'localhost', '[::1]'];

/** The board as an application; `fetch` answers requests. Its libraries are read here, since reports do without them. */
export async function board(options: BoardOptions): Promise<Hono> {
  const { folder, now, every = 1000, hosts = loopback, control = null } = options;
  const [{ Hono }, { bodyLimit }, { secureHeaders }, { streamSSE }] = await libraries();
  const app = new Hono();
  const api = {
    folder,
    index: options.index ?? resultIndex({ folder, now, cache: null }),
    now,
    every,
    control,
  };
  const runAt = (name: string): string | null =>
    runNames(folder).includes(name) ? join(folder, name) : null;
  app.onError((thrown, context) => context.text(`This page cannot be made: ${messageOf(thrown)}`, 500));
  app.use(secureHeaders({ xFrameOptions: 'DENY', referrerPolicy: 'no-referrer' }));
  app.use(async (context, next) => {
    const host = (context.req.header('host') ?? '').replace(/:\d+$/, '');
    if (!hosts.includes(host)) return context.text('This board answers on this machine only.', 421);
    return next();
  });
  app.get('/', (context) => {
    const chosen = context.req.queries('run') ?? [];
    return context.html(comparePage(folder, { names: runNames(folder), chosen, now: now() }));
  });
  app.get('/run/:name', (context) => {
    const run = runAt(context.req.param('name'));
    return run === null ? context.text('Unknown run.', 404) : context.html(runPage(run, { now: now() }));
  });
  app.get('/run/:name/episode/:episode', (context) => {
    const run = runAt(context.req.param('name'));
    const episode = Number(context.req.param('episode'));
    try {
      if (run === null || !Number.isInteger(episode)) return context.text('Unknown episode.', 404);
      return context.html(stripPage(run, episode));
    } catch (thrown) {
      if (!(thrown instanceof EmacError)) throw thrown;
      return context.text(thrown.message, 404);
    }
  });
  app.get('/run/:name/frames/:file', (context) => {
    const run = runAt(context.req.param('name'));
    const file = context.req.param('file');
    const path = run && join(run, layout.frames, basename(file));
    if (!path || !/^[0-9a-f]+\.png$/.test(file) || !existsSync(path))
      return context.text('Unknown picture.', 404);
    return context.body(new Uint8Array(readFileSync(path)), 200, {
      'content-type': 'image/png',
      // a picture's name is the hash of its content
      'cache-control': 'max-age=31536000, immutable',
    });
  });
  app.get('/events', (context) => streamSSE(context, (stream) => sendChanges(stream, api)));
  const limited = bodyLimit({
    maxSize: 64 << 10,
    onError: (context) => context.json({ error: 'A change has at most 64 KiB.' }, 413),
  });
  controlRoutes(app, { folder, control, limited });
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
    const why = messageOf(cause);
    throw new EmacError('unavailable', `board: hono cannot be loaded: ${why}; install again with npm ci`, {
      cause,
    });
  }
}
