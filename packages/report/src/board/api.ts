/**
 * The board's data as JSON: the list of results, one of them, its episodes and pictures, and server-sent events that
 * name what has changed. A result's name may hold `/`, which addresses write as `%2F`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { pathInside, readInside, readJson, readText } from '@emac/files';
import { dataIn } from '@emac/pages/whole-page';
import { layout } from '@emac/runs';
import type { Context, Hono } from 'hono';
import type { SSEStreamingApi } from 'hono/streaming';
import { readEpisodeOf, readRun } from '../pages/read-run.ts';
import type { Control } from './control.ts';
import { keptLines } from './kept-lines.ts';
import type { ResultIndex } from './result-index.ts';
import { resultFiles, resultFolder, type ResultFolder } from './result-folders.ts';
import { thinned } from './thinned.ts';

export interface Api {
  readonly folder: string;
  readonly index: ResultIndex;
  readonly now: () => Date;
  /** milliseconds between two looks at the files */
  readonly every: number;
  readonly control: Pick<Control, 'version'> | null;
}

/** milliseconds that a list waits for rows that are not read yet */
const patience = 1000;
/** a look at many files costs something: it is made at most in this share of the time */
const lookShare = 0.1;

/** Adds the routes. */
export function apiRoutes(app: Hono, { folder, index, now }: Api): void {
  const looks = lookingAt(index, now);
  const lines = keptLines();
  const of = (context: Context, answer: (found: ResultFolder) => object | null) => {
    const found = resultFolder(folder, context.req.param('name') ?? '');
    return found === null ? unknown(context, 'result') : answered(context, () => answer(found));
  };
  app.get('/api/runs', async (context) => {
    looks.look();
    await Promise.race([index.settled(), new Promise((done) => setTimeout(done, patience).unref())]);
    return context.json(index.rows(context.req.queries('name')));
  });
  app.get('/api/runs/:name', (context) =>
    of(context, ({ folder: run, name }) => {
      const view = readRun(run, now(), lines);
      return { ...view, name, series: thinned(view.series) };
    }),
  );
  app.get('/api/runs/:name/comparison', (context) => of(context, contentOf(resultFiles.comparison)));
  app.get('/api/runs/:name/sweep', (context) => of(context, contentOf(resultFiles.sweepResults)));
  app.get('/api/runs/:name/report', (context) =>
    of(context, ({ folder: result }) => {
      return dataIn(readText(pathInside(result, layout.report)));
    }),
  );
  app.get('/api/runs/:name/episodes/:episode', (context) =>
    of(context, ({ folder: run }) => {
      const episode = Number(context.req.param('episode'));
      if (!Number.isInteger(episode) || episode < 0)
        throw new EmacError('missing', 'an episode has a number from 0');
      return readEpisodeOf(run, episode);
    }),
  );
  for (const { part, pattern, type } of pictures)
    app.get(`/api/runs/:name/${part}/:file`, (context) => {
      const found = resultFolder(folder, context.req.param('name'));
      const file = context.req.param('file');
      const bytes = found && pattern.test(file) ? thereInside(found.folder, join(part, file)) : null;
      if (bytes === null) return unknown(context, 'picture');
      return context.body(new Uint8Array(bytes), 200, { 'content-type': type, ...kept(part) });
    });
}

/** Folders with pictures of a run and with films of an evaluation and of a comparison. */
const pictures = [
  { part: layout.frames, pattern: /^[0-9a-f]+\.png$/, type: 'image/png' },
  { part: 'gifs', pattern: /^\d+\.gif$/, type: 'image/gif' },
  { part: 'films', pattern: /^\d+\.gif$/, type: 'image/gif' },
] as const;

/** Null for a file that is not there, or lies elsewhere. */
function thereInside(folder: string, name: string): Buffer | null {
  try {
    return readInside(folder, name);
  } catch {
    return null;
  }
}

/** The name of a frame is the hash of its content. */
function kept(part: string): Record<string, string> {
  return { 'cache-control': part === layout.frames ? 'max-age=31536000, immutable' : 'no-cache' };
}

function unknown(context: Context, what: string) {
  return context.json({ error: `Unknown ${what}.` }, 404);
}

/** Errors of the file system and of damaged files are answers too. */
function answered(context: Context, answer: () => object | null) {
  try {
    return context.json(answer());
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    return context.json({ error: thrown.message, code: thrown.code }, thrown.code === 'missing' ? 404 : 422);
  }
}

/** Null before the file is written. Errors: `missing` if the result has none. */
function contentOf(file: string) {
  return ({ folder, kind }: ResultFolder): object | null => {
    const path = join(folder, file);
    if (existsSync(path)) return readJson(pathInside(folder, file)) as object;
    if (kind === 'sweep' && file === resultFiles.sweepResults) return null;
    throw new EmacError('missing', `${path}: does not exist; it is a ${kind}`);
  };
}

/** Looks when asked, but not again at once. */
export function lookingAt(index: ResultIndex, now: () => Date) {
  let free = -Infinity;
  return {
    look() {
      const began = now().getTime();
      if (began < free) return;
      index.look();
      const ended = now().getTime();
      free = ended + (ended - began) * (1 / lookShare - 1);
    },
  };
}

/**
 * An event `changed` with the names of what has changed, and `commands` if those have, until the reader is gone.
 */
export async function sendChanges(stream: SSEStreamingApi, api: Api): Promise<void> {
  const { index, now, every, control } = api;
  const looks = lookingAt(index, now);
  looks.look();
  let seen = index.version;
  let seenCommands = control?.version;
  while (!stream.aborted) {
    await stream.sleep(every);
    looks.look();
    const names = index.changedSince(seen);
    seen = index.version;
    if (names.length > 0) await stream.writeSSE({ event: 'changed', data: JSON.stringify({ names }) });
    if (control?.version !== seenCommands) await stream.writeSSE({ event: 'commands', data: '{}' });
    seenCommands = control?.version;
  }
}
