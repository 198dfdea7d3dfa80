/**
 * An agent as a service: OpenAI's chat completions, so that whatever asks a language model can ask it, and `/v1/act`, which carries what an agent
 * knows as it is. Questions of all clients are decided in batches.
 */
import { Hono } from 'hono';
import { internalFault, refused, RefusedRequest } from '../server/refusal.ts';
import { actRoute } from './act-route.ts';
import { asker, type AskerOptions } from './asker.ts';
import { chatRoute, noModel } from './chat-route.ts';
import { measures, routes, type Measures } from './measures.ts';

export interface AgentServiceOptions extends AskerOptions {
  /** milliseconds since 1970 */
  readonly now: () => number;
  /** longest time in seconds for which the event loop heard nothing since this was last asked, for `/metrics` */
  readonly longestStall?: () => number;
  /** counts; whoever serves may tell them what it refuses itself. Without it those of this service alone */
  readonly measured?: Measures;
  /** hears of faults, of which clients are told nothing */
  readonly onFault?: (thrown: unknown) => void;
}

/** The service as an application: `fetch` answers requests, whoever serves it (`listen`). */
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
  app.onError((thrown, context) => {
    if (thrown instanceof RefusedRequest) return refused(thrown.refusal);
    // nobody is there any more where the signal has fired
    if (!context.req.raw.signal.aborted) onFault(thrown);
    return refused(internalFault);
  });
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
  app.post('/v1/chat/completions', chatRoute({ agent, asking, now, started }));
  app.post('/v1/act', actRoute({ agent, asking }));
  return app;
}

const noRoute = {
  status: 404,
  code: 'not_found',
  message: `There is nothing here; this server answers ${routes.join(', ')}.`,
};
