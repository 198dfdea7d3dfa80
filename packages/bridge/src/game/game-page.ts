/**
 * A game in a browser: its page, and orders to its session. Whoever has the page's address may play, so it has a token, which every order must
 * show; the page itself tells nothing.
 */
import type { GameOrder, GamePlace } from '@emac/pages/data';
import { pageStyle, scriptOf, servedPage } from '@emac/pages/bundles';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { z } from 'zod';
import { checkedBody } from '../serve/refused-request.ts';
import { jsonOf } from '../server/json-body.ts';
import { internalFault, refused, RefusedRequest } from '../server/refusal.ts';
import { showsToken } from '../server/token.ts';

export interface GamePageOptions {
  readonly place: GamePlace;
  /** of the browser's tab */
  readonly title: string;
  readonly token: string;
  /** called with faults, which the page does not see */
  readonly onFault?: (thrown: unknown) => void;
}

/** The page as an application; `fetch` answers requests (see `listen`). Errors: `unavailable` if the pages were not built. */
export function gamePage({ place, title, token, onFault = () => {} }: GamePageOptions): Hono {
  const texts = {
    '/': ['text/html', servedPage(title, 'game')],
    '/game.js': ['text/javascript', scriptOf('game')],
    '/style.css': ['text/css', pageStyle()],
  } as const;
  const app = new Hono();
  app.onError((thrown) => {
    if (thrown instanceof RefusedRequest) return refused(thrown.refusal);
    onFault(thrown);
    return refused(internalFault);
  });
  app.notFound(() => refused(noRoute));
  app.use(secureHeaders({ xFrameOptions: 'DENY', referrerPolicy: 'no-referrer', contentSecurityPolicy }));
  for (const [path, [type, text]] of Object.entries(texts))
    app.get(path, (context) => context.body(text, 200, { 'content-type': `${type}; charset=utf-8` }));
  app.post('/game', async (context) => {
    if (!showsToken(context.req.header('authorization') ?? null, token)) return refused(noToken);
    const order = checkedBody<GameOrder>(orderSchema, await jsonOf(context.req.raw));
    return context.json(await place(order));
  });
  return app;
}

const contentSecurityPolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ['data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

const command = z.string().max(10_000);
const set = z.enum(['training', 'heldOut']);
const number = z.number().int().nonnegative();
const orderSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('show') }),
  z.strictObject({ kind: z.literal('begin'), set, number }),
  z.strictObject({ kind: z.literal('act'), command }),
  z.strictObject({ kind: z.literal('let'), by: z.enum(['policy', 'expert']) }),
  z.strictObject({ kind: z.literal('back'), step: number }),
  z.strictObject({ kind: z.literal('prefer'), chosen: command, rejected: command }),
  z.strictObject({ kind: z.literal('ask'), prompt: z.string().max(1_000_000) }),
  z.strictObject({ kind: z.literal('cover') }),
]);

const noToken = {
  status: 401,
  code: 'invalid_token',
  message: 'The token is missing or wrong; open the address that the command printed.',
};

const noRoute = { status: 404, code: 'not_found', message: 'Not found; the page is at /.' };
