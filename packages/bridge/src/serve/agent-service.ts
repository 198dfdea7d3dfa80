/**
 * An agent as a service: OpenAI's chat completions and Responses for any language-model client, and `/v1/act` with the agent's own
 * inputs. Questions of all clients are batched.
 */
import { Hono, type Context } from 'hono';
import { internalFault, refused, RefusedRequest } from '../server/refusal.ts';
import { actRoute } from './act-route.ts';
import { asker, type AskerOptions } from './asker.ts';
import { chatRoute, noModel } from './chat-route.ts';
import { responsesRoute } from './responses-route.ts';
import { measures, routes, type Measures } from './measures.ts';

export interface AgentServiceOptions extends AskerOptions {
  /** milliseconds since 1970 */
  readonly now: () => number;
  /** longest stall of the event loop since the last call, in seconds, for `/metrics` */
  readonly longestStall?: () => number;
  /** counters; the server may add the requests it refuses itself. Default: counters of this service only */
  readonly measured?: Measures;
  /** called with faults, which clients do not see */
  readonly onFault?: (thrown: unknown) => void;
}

/** The service as an application; `fetch` answers requests (see `listen`). */
export function agentService(options: AgentServiceOptions): Hono {
  const { agent, now, measured = measures(), onFault = () => {} } = options;
  const asking = asker(options, measured);
  const started = now();
  const app = new Hono();
  app.use(async (context, next) => {
    const start = now();
    await next();
    measured.answered(context.req.path, context.res.status, (now() - start) / 1000);
  });
  const failed = (thrown: unknown, context: Context): Response => {
    if (thrown instanceof RefusedRequest) return refused(thrown.refusal);
    // the client is gone if the signal has fired
    if (!context.req.raw.signal.aborted) onFault(thrown);
    return refused(internalFault);
  };
  app.onError(failed);
  app.notFound(() => refused(noRoute));
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/metrics', (context) =>
    context.text(
      measured.text({ waiting: asking.waiting, longestStall: options.longestStall?.() ?? null }),
      200,
      { 'content-type': 'text/plain; version=0.0.4' },
    ),
  );
  const model = { id: agent.name, object: 'model', created: Math.floor(started / 1000), owned_by: 'emac' };
  app.get('/v1/models', (context) => context.json({ object: 'list', data: [model] }));
  app.get('/v1/models/:name', (context) =>
    context.req.param('name') === agent.name ? context.json(model) : refused(noModel(agent.name)),
  );
  const chat = new Hono().post('*', chatRoute({ agent, asking, now, started }));
  chat.onError(failed);
  app.post('/v1/chat/completions', (context) => chat.fetch(context.req.raw));
  app.post(
    '/v1/responses',
    responsesRoute((request) => chat.fetch(request)),
  );
  app.post('/v1/act', 'chat' in agent ? async () => refused(noEpisodes) : actRoute({ agent, asking }));
  return app;
}

const noEpisodes = {
  status: 404,
  code: 'not_found',
  message: 'Not found; this server answers messages as they are, so ask /v1/chat/completions.',
};

const noRoute = {
  status: 404,
  code: 'not_found',
  message: `Not found; this server answers ${routes.join(', ')}.`,
};
