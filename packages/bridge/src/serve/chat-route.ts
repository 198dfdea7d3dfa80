/** `POST /v1/chat/completions`: the agent as a language model. */
import type { Context } from 'hono';
import { jsonOf } from '../server/json-body.ts';
import { RefusedRequest, type Refusal } from '../server/refusal.ts';
import type { Asker } from './asker.ts';
import { completion, events } from './chat-reply.ts';
import { chatRequest } from './chat-request.ts';
import { orWrongField } from './refused-request.ts';
import { saidOf } from './said.ts';
import type { ServedAgent } from './served-agent.ts';

export interface ChatRoute {
  readonly agent: ServedAgent;
  readonly asking: Asker;
  /** milliseconds since 1970, and start of the service */
  readonly now: () => number;
  readonly started: number;
}

/** Answers requests; throws on invalid ones. */
export function chatRoute({ agent, asking, now, started }: ChatRoute) {
  let replies = 0;
  return async (context: Context): Promise<Response> => {
    const request = chatRequest(await jsonOf(context.req.raw));
    if (request.model !== agent.name) throw new RefusedRequest(noModel(agent.name));
    const read = orWrongField('messages', () => agent.readMessages(request.messages));
    const { answer, promptTokens, texts, stop } = await asking.ask(
      { ...read, pictures: request.pictures, fields: { pictures: 'messages', admissible: 'messages' } },
      { ...request, ...(read.admissible && { admissibleOnly: true }), signal: context.req.raw.signal },
    );
    const reply = {
      id: `chatcmpl-${started.toString(36)}-${replies++}`,
      created: Math.floor(now() / 1000),
      model: agent.name,
      said: saidOf(answer, texts, { ...request, stop: [...request.stop, ...stop] }),
      promptTokens,
      withLogProbabilities: request.wantsLogProbabilities,
    };
    if (request.stream === null) return context.json(completion(reply));
    return context.body(events(reply, request.stream), 200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    });
  };
}

/** The reply to a request for another model. */
export function noModel(name: string): Refusal {
  return {
    status: 404,
    code: 'model_not_found',
    message: `The served model is ${name}.`,
    param: 'model',
  };
}
