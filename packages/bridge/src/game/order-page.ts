/**
 * A page that gives orders, and the place that answers them. Whoever has the page's address may order, so it has a token, which every order must
 * show; the page itself tells nothing.
 */
import { pageStyle, scriptOf, servedPage, type PageName } from '@emac/pages/bundles';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { z } from 'zod';
import { checkedBody } from '../serve/refused-request.ts';
import { jsonOf } from '../server/json-body.ts';
import { internalFault, refused, RefusedRequest } from '../server/refusal.ts';
import { showsToken } from '../server/token.ts';

export interface OrderPageOptions<Order> {
  /** its script; orders go to the route of the same name */
  readonly name: PageName;
  readonly orders: z.ZodType<Order>;
  readonly place: (order: Order) => Promise<object>;
  /** of the browser's tab */
  readonly title: string;
  readonly token: string;
  /** called with faults, which the page does not see */
  readonly onFault?: (thrown: unknown) => void;
}

/** The page as an application; `fetch` answers requests (see `listen`). Errors: `unavailable` if the pages were not built. */
export function orderPage<Order>(options: OrderPageOptions<Order>): Hono {
  const { name, orders, place, title, token, onFault = () => {} } = options;
  const texts = {
    '/': ['text/html', servedPage(title, name)],
    [`/${name}.js`]: ['text/javascript', scriptOf(name)],
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
  app.post(`/${name}`, async (context) => {
    if (!showsToken(context.req.header('authorization') ?? null, token)) return refused(noToken);
    const order = checkedBody(orders, await jsonOf(context.req.raw));
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

const noToken = {
  status: 401,
  code: 'invalid_token',
  message: 'The token is missing or wrong; open the address that the command printed.',
};

const noRoute = { status: 404, code: 'not_found', message: 'Not found; the page is at /.' };
