/**
 * An agent as a service: OpenAI's chat completions, so that whatever asks a language model can ask it, and `/v1/act`, which carries what an agent
 * knows as it is. Questions of all clients are decided in batches.
 */
import type { Random, Sampling } from '@emac/core';
import { Hono } from 'hono';
import { internalFault, refused } from '../server/refusal.ts';
import { actRequestSchema, type ActReply } from './act-messages.ts';
import { batches } from './batches.ts';
import { completion, events } from './chat-reply.ts';
import { chatRequest } from './chat-request.ts';
import { gate } from './gate.ts';
import { measures } from './measures.ts';
import { framesOf } from './pictures.ts';
import { asRefusal, checkedBody, jsonOf, RefusedRequest } from './refused-request.ts';
import { saidOf } from './said.ts';
import { draws, sampledBy, type AskedSampling } from './sampled.ts';
import type { ServedAgent, Situation } from './served-agent.ts';

export interface AgentServiceOptions {
  readonly agent: ServedAgent;
  /** questions decided together, at most */
  readonly batch: number;
  /** of answers that are drawn without a seed */
  readonly random: Random;
  /** milliseconds since 1970 */
  readonly now: () => number;
  /** longest time in seconds for which the event loop heard nothing, for `/metrics` */
  readonly longestStall?: () => number;
  /** hears of faults, of which clients are told nothing */
  readonly onFault?: (thrown: unknown) => void;
}

/** pictures that are encoded at one time; their sessions work one after the other */
const encoding = 4;

/** The service as an application: `fetch` answers requests, whoever serves it (`listen`). */
export function agentService(options: AgentServiceOptions): Hono {
  const { agent, now, onFault = () => {} } = options;
  const measured = measures();
  const asking = asker(options, measured);
  const started = now();
  let replies = 0;
  const app = new Hono();
  app.use(async (context, next) => {
    const start = now();
    await next();
    measured.request(knownRoute(context.req.path), context.res.status, (now() - start) / 1000);
  });
  app.onError((thrown, context) => {
    const refusal = asRefusal(thrown);
    // nobody is there any more where the signal has fired
    if (!refusal && !context.req.raw.signal.aborted) onFault(thrown);
    return refused(refusal ?? internalFault);
  });
  app.notFound(() => refused(noRoute));
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/metrics', (context) =>
    context.text(
      measured.text({ waiting: asking.waiting(), longestStall: options.longestStall?.() ?? null }),
      200,
      { 'content-type': 'text/plain; version=0.0.4' },
    ),
  );
  const model = { id: agent.name, object: 'model', created: Math.floor(started / 1000), owned_by: 'emac' };
  app.get('/v1/models', (context) => context.json({ object: 'list', data: [model] }));
  app.get('/v1/models/:name', (context) =>
    context.req.param('name') === agent.name ? context.json(model) : refused(noModel(agent.name)),
  );
  app.post('/v1/chat/completions', async (context) => {
    const request = chatRequest(await jsonOf(context.req.raw));
    if (request.model !== agent.name) throw new RefusedRequest(noModel(agent.name));
    const read = agent.readMessages(request.messages);
    const { answer, promptTokens, texts } = await asking.ask(
      { ...read, pictures: request.pictures, place: 'messages' },
      { ...request, ...(read.admissible && { admissibleOnly: true }), signal: context.req.raw.signal },
    );
    const reply = {
      id: `chatcmpl-${started.toString(36)}-${replies++}`,
      created: Math.floor(now() / 1000),
      model: agent.name,
      said: saidOf(answer, texts, request),
      promptTokens,
      withLogProbabilities: request.wantsLogProbabilities,
    };
    if (request.stream === null) return context.json(completion(reply));
    return context.body(events(reply, request.stream), 200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    });
  });
  app.post('/v1/act', async (context) => {
    const request = checkedBody(actRequestSchema, await jsonOf(context.req.raw));
    const { history, prompt, admissible = null, admissible_only: admissibleOnly } = request;
    const { answer, texts } = await asking.ask(
      { history: history ?? agent.readText(prompt!), admissible, pictures: request.images, place: 'images' },
      { ...request, ...(admissibleOnly !== undefined && { admissibleOnly }), signal: context.req.raw.signal },
    );
    return context.json({
      model: agent.name,
      action: agent.command(answer.text),
      text: answer.text,
      log_probability: answer.logProbabilities.reduce((sum, each) => sum + each, 0),
      tokens: answer.tokens.map((id, place) => {
        return { id, text: texts[place]!, log_probability: answer.logProbabilities[place]! };
      }),
    } satisfies ActReply);
  });
  return app;
}

interface Asked extends Omit<Situation, 'frames'> {
  /** data URLs */
  readonly pictures: readonly string[];
  /** the field that holds them */
  readonly place: string;
}

interface How extends AskedSampling {
  readonly admissibleOnly?: boolean;
  readonly signal: AbortSignal;
}

/** Turns what was asked into questions, and these into answers. */
function asker({ agent, batch, random }: AgentServiceOptions, measured: ReturnType<typeof measures>) {
  const { policy } = agent;
  const queue = batches({ policy, most: batch, onBatch: (questions) => measured.batch(questions) });
  const oneByOne = gate(encoding);
  const drawing = draws(random);
  const ask = async ({ pictures, place, ...known }: Asked, how: How) => {
    const chosen: { sampling: Sampling; random: Random | null } = sampledBy(how, {
      sampling: agent.sampling,
      draws: drawing,
    });
    const { admissibleOnly, signal } = how;
    const question = await oneByOne(async () => {
      const frames = await framesOf(pictures, place);
      return agent.question(
        { ...known, frames },
        { random: chosen.random, ...(admissibleOnly !== undefined && { admissibleOnly }) },
      );
    });
    const answer = await queue.decide(question, { sampling: chosen.sampling, signal });
    measured.tokens(answer.tokens.length);
    const text = question.prompt.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
    return {
      answer,
      texts: agent.tokenTexts(answer.tokens),
      promptTokens: policy.countPromptTokens(text),
    };
  };
  return { ask, waiting: () => queue.waiting };
}

const routes = ['/healthz', '/metrics', '/v1/models', '/v1/chat/completions', '/v1/act'];

/** What strangers ask for is not counted one by one. */
function knownRoute(path: string): string {
  return routes.find((route) => path === route || path.startsWith(`${route}/`)) ?? 'other';
}

const noRoute = {
  status: 404,
  code: 'not_found',
  message: `There is nothing here; this server answers ${routes.join(', ')}.`,
};

function noModel(name: string) {
  return {
    status: 404,
    code: 'model_not_found',
    message: `The model that is served is ${name}.`,
    param: 'model',
  };
}
