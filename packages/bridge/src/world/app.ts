/** The routes of a world that runs elsewhere: version 2, its description, and the published wire on every other path. */
import { createHash } from 'node:crypto';
import { EmacError, messageOf } from '@emac/core';
import { Hono, type Context } from 'hono';
import type { z } from 'zod';
import { listOfOne } from '../published/python-text.ts';
import { publishedMessage } from '../published/message.ts';
import { refused } from '../server/refusal.ts';
import { reported } from '../wire/observation.ts';
import { openapi } from '../wire/openapi.ts';
import { routes } from '../wire/routes.ts';
import type { Hello, Order, Welcome } from '../wire/schemas.ts';
import type { Reported } from '../wire/observation.ts';
import { DeskError } from './desk-error.ts';
import type { PublishedMessage } from '../published/message.ts';

export interface WorldHandlers {
  readonly hello: (hello: Hello) => Welcome;
  readonly next: (report: Reported) => Promise<Order>;
  /** the command that answers a message of the published wire */
  readonly post: (message: PublishedMessage, key: string) => Promise<string>;
}

export function worldApp({ hello, next, post }: WorldHandlers): Hono {
  const app = new Hono();
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/openapi.json', (context) => context.json(openapi()));
  app.post(routes.hello.path, (context) => version2(context, routes.hello.takes, async (said) => hello(said)));
  app.post(routes.next.path, (context) =>
    version2(context, routes.next.takes, async (said) => next(await reported(said))),
  );
  app.post('/v2/*', () => refused({ status: 404, code: 'not_found', message: 'There is nothing here; see /openapi.json.' }));
  app.post('*', (context) => published(context.req.raw, post));
  app.notFound(() => refused({ status: 404, code: 'not_found', message: 'There is nothing here; see /openapi.json.' }));
  app.onError(refusalOf);
  return app;
}

/** What was thrown, as an answer; faults of ours are left to whoever serves. */
function refusalOf(thrown: Error): Response {
  if (thrown instanceof DeskError)
    return refused({ status: thrown.status, code: thrown.code, message: thrown.message });
  if (thrown instanceof EmacError && thrown.code === 'data')
    return refused({ status: 422, code: 'unreadable_picture', message: messageOf(thrown), param: 'observation.picture' });
  throw thrown;
}

/** of version 2, whose pictures are compressed */
const mostBytes = 16 * 1024 * 1024;

async function version2<T>(
  context: Context,
  schema: z.ZodType<T>,
  answer: (said: T) => Promise<object>,
): Promise<Response> {
  const type = context.req.header('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type))
    return refused({ status: 415, code: 'not_json', message: 'A body has to be sent as application/json.' });
  const bytes = await context.req.arrayBuffer();
  if (bytes.byteLength > mostBytes)
    return refused({ status: 413, code: 'body_too_large', message: `A body may have ${mostBytes} bytes.` });
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refused({ status: 400, code: 'bad_json', message: 'The body is not JSON.' });
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return context.json(await answer(parsed.data));
  const [issue] = parsed.error.issues;
  const param = issue!.path.join('.');
  const message = `${param || 'The body'}: ${issue!.message.slice(0, 300)}.`;
  return refused({ status: 422, code: 'invalid', message, param: param || null });
}

/** As published: the body's MD5 in a header both ways, a Python list of one text, and nothing in a 400. */
async function published(request: Request, post: WorldHandlers['post']): Promise<Response> {
  const body = Buffer.from(await request.arrayBuffer());
  const sum = md5(body);
  if (request.headers.get('md5')?.toLowerCase() !== sum) return new Response(null, { status: 400 });
  try {
    const message = publishedMessage(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const answer = Buffer.from(listOfOne(await post(message, sum)));
    return new Response(answer, { headers: { MD5: md5(answer), 'content-type': 'text/plain; charset=utf-8' } });
  } catch (thrown) {
    const isTheirs =
      thrown instanceof DeskError || thrown instanceof TypeError || (thrown instanceof EmacError && thrown.code === 'data');
    if (isTheirs) return new Response(null, { status: 400 });
    throw thrown;
  }
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}
