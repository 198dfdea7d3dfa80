/**
 * The routes that change something. Each demands a board that allows changes, the token, JSON, and a page of this very
 * board: a browser says with `Origin` and `Sec-Fetch-Site` whose page asks. Every action is recorded, refused ones too.
 */
import { EmacError } from '@emac/core';
import type { AskedCommand, BoardRights } from '@emac/pages';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Control } from './control.ts';
import { changeNotes } from './notes.ts';
import { resultFolder } from './result-folders.ts';
import { noToken, passOf, showsToken } from './token.ts';

export interface ControlRoutes {
  readonly folder: string;
  /** null for a board that only shows */
  readonly control: Control | null;
  /** that readers need; null: everyone who reaches the board may read */
  readonly readToken: string | null;
  /** hono's limit of a body's bytes */
  readonly limited: MiddlewareHandler;
}

const readOnly = 'This board only shows. Start it with --allow-changes to change something.';

/** Adds the routes. */
export function controlRoutes(app: Hono, { folder, control, readToken, limited }: ControlRoutes): void {
  rightsRoute(app, { folder, control, readToken });
  app.use('/api/*', limited, async (context, next) => {
    if (context.req.method === 'GET' || context.req.method === 'HEAD') return next();
    const refused = control === null ? ([403, readOnly] as const) : refusal(context, control.token);
    if (refused === null) return next();
    const [status, error] = refused;
    control?.record('refused', { path: context.req.path.slice(0, 200), why: error });
    return context.json({ error }, status);
  });
  if (control === null) return;
  app.get('/api/settings', (context) => {
    const { method = 'bc', environment = null, policy = null } = context.req.query();
    return answered(context, () =>
      control.form({ method, environment: environment || null, policy: policy || null }),
    );
  });
  app.get('/api/commands', (context) => context.json({ commands: control.commands() }));
  app.post('/api/commands/preview', (context) =>
    answered(context, async () => control.preview(await bodyOf<AskedCommand>(context))),
  );
  app.post('/api/commands', (context) =>
    answered(context, async () => {
      const queued = await control.start(await bodyOf<AskedCommand>(context));
      control.record('start', { id: queued.id, command: queued.command });
      return queued;
    }),
  );
  app.post('/api/commands/:id/stop', (context) =>
    answered(context, () => {
      const id = Number(context.req.param('id'));
      control.stopCommand(id);
      control.record('stop', { id });
      return { commands: control.commands() };
    }),
  );
  const resultOf = (context: Context) => {
    const found = resultFolder(folder, context.req.param('name') ?? '');
    if (found === null) throw new EmacError('missing', 'Unknown result.');
    return found;
  };
  app.post('/api/runs/:name/stop', (context) =>
    answered(context, () => {
      const { name, folder: run } = resultOf(context);
      control.stopRun(run);
      control.record('stop', { run: name });
      return { run: name };
    }),
  );
  app.post('/api/runs/:name/notes', (context) =>
    answered(context, async () => {
      const { name, folder: run } = resultOf(context);
      const notes = changeNotes(run, await bodyOf(context));
      control.record('note', { run: name, ...notes });
      return notes;
    }),
  );
}

/** What the reader may do. */
function rightsRoute(app: Hono, { folder, control, readToken }: Omit<ControlRoutes, 'limited'>): void {
  const pass = readToken === null ? null : passOf(readToken);
  app.get('/api/board', (context) => {
    const canChange = control !== null && showsToken(context, control.token);
    return context.json({ canChange, folder, pass } satisfies BoardRights);
  });
}

/** Why a change is refused; null if it is not. */
function refusal(context: Context, token: string): readonly [401 | 403 | 415, string] | null {
  const header = (name: string) => context.req.header(name);
  const origin = header('origin');
  const site = header('sec-fetch-site');
  if (origin !== undefined && origin !== `http://${header('host')}`)
    return [403, 'Only a page of this board may change something.'];
  if (site !== undefined && site !== 'same-origin')
    return [403, 'Only a page of this board may change something.'];
  if (!showsToken(context, token)) return [401, noToken];
  if (!/^application\/json\b/.test(header('content-type') ?? '')) return [415, 'A change is sent as JSON.'];
  return null;
}

/** Errors: `config` for a body that is no JSON. */
async function bodyOf<T = unknown>(context: Context): Promise<T> {
  try {
    return await context.req.json<T>();
  } catch (cause) {
    // a body that is too long is another fault
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new EmacError('config', 'The body must be JSON.', { cause });
  }
}

async function answered(context: Context, answer: () => object | Promise<object>) {
  try {
    return context.json(await answer());
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    return context.json({ error: thrown.message, code: thrown.code }, thrown.code === 'missing' ? 404 : 422);
  }
}
