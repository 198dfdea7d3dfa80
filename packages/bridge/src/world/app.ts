/** The routes of a remote world: version 2, its description, and the published wire on every other path. */
import { createHash } from 'node:crypto';
import { EmacError } from '@emac/core';
import { Hono } from 'hono';
import { listOfOne } from '../published/python-text.ts';
import { publishedMessage } from '../published/message.ts';
import { refused } from '../server/refusal.ts';
import { reported } from '../wire/observation.ts';
import { answerJson, notFound, refusalOf } from '../wire/answers.ts';
import { openapi } from '../wire/openapi.ts';
import { routes } from '../wire/routes.ts';
import type { Hello, Order, Welcome } from '../wire/schemas.ts';
import type { Reported } from '../wire/observation.ts';
import { DeskError } from '../wire/desk-error.ts';
import type { PublishedMessage } from '../published/message.ts';

export interface WorldHandlers {
  readonly hello: (hello: Hello) => Welcome;
  readonly next: (report: Reported) => Promise<Order>;
  /** the command that answers a message of the published wire; `gone` fires if its connection is lost first */
  readonly post: (message: PublishedMessage, key: string, gone: AbortSignal) => Promise<string>;
}

export function worldApp({ hello, next, post }: WorldHandlers): Hono {
  const app = new Hono();
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/openapi.json', (context) => context.json(openapi(routes)));
  app.post(routes.hello.path, (context) =>
    answerJson(context, routes.hello.takes, async (said) => hello(said)),
  );
  app.post(routes.next.path, (context) =>
    answerJson(context, routes.next.takes, async (said) => next(await reported(said))),
  );
  app.post('/v2/*', () => refused(notFound));
  app.post('*', (context) => published(context.req.raw, post));
  app.notFound(() => refused(notFound));
  app.onError(refusalOf);
  return app;
}

/** As published: the body's MD5 in a header both ways, a Python list of one text, and an empty 400. */
async function published(request: Request, post: WorldHandlers['post']): Promise<Response> {
  const body = Buffer.from(await request.arrayBuffer());
  const sum = md5(body);
  if (request.headers.get('md5')?.toLowerCase() !== sum) return new Response(null, { status: 400 });
  const text = decoded(body);
  if (text === null) return new Response(null, { status: 400 });
  try {
    const message = publishedMessage(text);
    const answer = Buffer.from(listOfOne(await post(message, sum, request.signal)));
    return new Response(answer, {
      headers: { MD5: md5(answer), 'content-type': 'text/plain; charset=utf-8' },
    });
  } catch (thrown) {
    const isTheirs = thrown instanceof EmacError && thrown.code === 'data';
    if (isTheirs || thrown instanceof DeskError) return new Response(null, { status: 400 });
    throw thrown;
  }
}

/** Null unless it is UTF-8. */
function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}
