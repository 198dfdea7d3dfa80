/**
 * The address of a policy in training for agents of one's own, which speak OpenAI's API to it: chat completions, or Responses. Every attempt has a key;
 * a request with it waits until the trainer has answered. One request of an attempt is open at a time: with several, speed would
 * decide their order, and runs would differ.
 */
import { randomUUID } from 'node:crypto';
import type { Answer, AskedMessages, Frame } from '@emac/core';
import { Hono, type Context } from 'hono';
import { completion, events, type ChatReply } from '../serve/chat-reply.ts';
import { calledIn } from '../serve/chat-tools.ts';
import { framesOf } from '../serve/pictures.ts';
import { responsesRoute } from '../serve/responses-route.ts';
import { saidOf } from '../serve/said.ts';
import { jsonOf } from '../server/json-body.ts';
import { listen } from '../server/listen.ts';
import { internalFault, refused, RefusedRequest, type Refusal } from '../server/refusal.ts';
import { gatewayRequest, type GatewayRequest } from './gateway-request.ts';

export interface GatewayOptions {
  /** name of the model, in its list; requests may name any */
  readonly model: string;
  /** called with faults, which agents do not see */
  readonly onFault?: (thrown: unknown) => void;
}

/** A request that waits for its answer. */
export interface OpenRequest {
  readonly asked: AskedMessages;
  /** pictures of its last message */
  readonly frames: readonly Frame[];
  answer(answered: AnsweredRequest): void;
  refuse(refusal: Refusal): void;
}

export interface AnsweredRequest {
  readonly answer: Answer;
  /** the text of each of its tokens, empty for the end token */
  readonly texts: readonly string[];
  /** tokens of the prompt */
  readonly promptTokens: number;
}

/** The requests of one attempt. */
export interface AttemptRequests {
  readonly apiKey: string;
  /** Waits for the next request; call it again once that one is answered or refused. */
  next(): Promise<OpenRequest>;
  /** Refuses an open request and all later ones. */
  close(refusal: Refusal): void;
  /** The attempt is over: an open request is refused, and its key is forgotten. */
  end(): void;
}

export interface Gateway {
  /** such as `http://127.0.0.1:45211/v1` */
  readonly baseURL: string;
  attempt(): AttemptRequests;
  close(): Promise<void>;
}

/** Opens a free port of this machine. Errors: `cannot-create`. */
export async function openGateway({ model, onFault = () => {} }: GatewayOptions): Promise<Gateway> {
  const attempts = new Map<string, Attempt>();
  const app = new Hono();
  app.onError((thrown) => {
    if (thrown instanceof RefusedRequest) return refused(thrown.refusal);
    onFault(thrown);
    return refused(internalFault);
  });
  app.notFound(() => refused(noRoute));
  const listed = { id: model, object: 'model', created: 0, owned_by: 'emac' };
  app.get('/v1/models', (context) => context.json({ object: 'list', data: [listed] }));
  app.get('/v1/models/:name', (context) => context.json({ ...listed, id: context.req.param('name') }));
  app.post('/v1/chat/completions', async (context) => {
    const key = /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1] ?? '';
    const attempt = attempts.get(key);
    if (!attempt) return refused(noAttempt);
    const request = gatewayRequest(await jsonOf(context.req.raw));
    const frames = await framesOf(request.pictures, 'messages');
    return attempt.asks({ ...request, frames }, retriesOf(context), context);
  });
  app.post(
    '/v1/responses',
    responsesRoute((request) => app.fetch(request)),
  );
  const server = await listen({ fetch: (request) => app.fetch(request), port: 0, onFault, limits });
  return {
    baseURL: `${server.address}/v1`,
    attempt: () => {
      const apiKey = `emac-${randomUUID()}`;
      const attempt = openAttempt();
      attempts.set(apiKey, attempt);
      const end = (): void => {
        attempt.close(isOver);
        attempts.delete(apiKey);
      };
      return { apiKey, next: attempt.next, close: attempt.close, end };
    },
    close: () => server.close(),
  };
}

/** As many agents as run at once, which wait for each other. */
const limits = { requests: 4096, connections: 8192 };

/** How often OpenAI's clients have sent this request before. */
function retriesOf(context: Context): number {
  return Number(context.req.header('x-stainless-retry-count') ?? 0);
}

interface Attempt extends Pick<AttemptRequests, 'next' | 'close'> {
  asks(request: SeenRequest, retries: number, context: Context): Promise<Response>;
}

/** With its pictures decoded. */
type SeenRequest = GatewayRequest & Pick<OpenRequest, 'frames'>;

type Outcome = AnsweredRequest | Refusal;

/** A request with its outcome, which a repetition of the same request gets too. */
interface Pending {
  readonly body: string;
  readonly request: SeenRequest;
  /** from 0, in the order in which the attempt asked */
  readonly number: number;
  readonly outcome: Promise<Outcome>;
  settle(outcome: Outcome): void;
  isOpen: boolean;
}

function openAttempt(): Attempt {
  let closed: Refusal | null = null;
  let last: Pending | null = null;
  /** not taken yet */
  let fresh: Pending | null = null;
  let waiting: ((pending: Pending) => void) | null = null;
  let asked = 0;
  const taken = (request: SeenRequest, retries: number): Pending | Refusal => {
    const { frames: _seen, ...sent } = request;
    const body = JSON.stringify(sent);
    // a client that gave up waiting, or lost its connection, asks the same again
    if (last && retries > 0 && last.body === body) return last;
    if (closed) return closed;
    if (last?.isOpen) return oneAtATime;
    last = pendingOf(body, request, asked++);
    if (waiting) waiting(last);
    else fresh = last;
    waiting = null;
    return last;
  };
  return {
    next: async () => {
      const pending = fresh ?? (await new Promise<Pending>((resolve) => void (waiting = resolve)));
      fresh = null;
      return {
        asked: pending.request.asked,
        frames: pending.request.frames,
        answer: (answered) => pending.settle(answered),
        refuse: (refusal) => pending.settle(refusal),
      };
    },
    close: (refusal) => {
      closed ??= refusal;
      last?.settle(refusal);
    },
    asks: async (request, retries, context) => {
      const pending = taken(request, retries);
      if ('code' in pending) return refused(pending);
      const outcome = await pending.outcome;
      if ('code' in outcome) return refused(outcome);
      return replied(context, request, { ...outcome, number: pending.number });
    },
  };
}

function pendingOf(body: string, request: SeenRequest, number: number): Pending {
  let resolve: (outcome: Outcome) => void = () => {};
  const outcome = new Promise<Outcome>((settled) => void (resolve = settled));
  const pending: Pending = {
    body,
    request,
    number,
    outcome,
    isOpen: true,
    settle: (settled) => {
      pending.isOpen = false;
      resolve(settled);
    },
  };
  return pending;
}

function replied(
  context: Context,
  { model, asked, tools, stream, wantsLogProbabilities }: GatewayRequest,
  { answer, texts, promptTokens, number }: AnsweredRequest & { readonly number: number },
): Response {
  // no clock: agents see equal answers in equal runs
  const reply: ChatReply = {
    id: `chatcmpl-${number}`,
    created: 0,
    model,
    choices: [calledIn(saidOf(answer, texts, { maxTokens: Infinity, stop: asked.stop ?? [] }), tools)],
    number,
    promptTokens,
    withLogProbabilities: wantsLogProbabilities,
  };
  if (stream === null) return context.json(completion(reply));
  return context.body(events(reply, stream), 200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
}

const noRoute: Refusal = {
  status: 404,
  code: 'not_found',
  message: 'Not found; agents in training may ask /v1/chat/completions, /v1/responses and /v1/models.',
};

const noAttempt: Refusal = {
  status: 401,
  code: 'no_attempt',
  message: 'The key belongs to no attempt under way; use the apiKey that the agent was called with.',
};

const isOver: Refusal = { status: 400, code: 'attempt_over', message: 'This attempt is over.' };

const oneAtATime: Refusal = {
  status: 400,
  code: 'one_request_at_a_time',
  message:
    'An earlier request of this attempt has no answer yet; in training an agent asks one question after another, so that equal runs have equal bytes.',
};
