/** `POST /v1/chat/completions`: the agent as a language model. */
import type { ChatMessage } from '@emac/core';
import type { Context } from 'hono';
import { jsonOf } from '../server/json-body.ts';
import { RefusedRequest, type Refusal } from '../server/refusal.ts';
import { aboutEpisode, aboutMessages } from './asked.ts';
import type { Asked, Asker } from './asker.ts';
import { completion, events } from './chat-reply.ts';
import { chatRequest, requireEpisode, type ChatRequest } from './chat-request.ts';
import { calledIn, messagesWithCalls } from './chat-tools.ts';
import { orWrongField } from './refused-request.ts';
import { saidOf } from './said.ts';
import type { ChatAgent, EpisodeAgent, ServedAgent } from './served-agent.ts';

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
    const asked = 'chat' in agent ? inChat(request, agent) : inEpisode(request, agent);
    const { signal } = context.req.raw;
    const { answers, promptTokens, stop } = await asking.ask(asked, { ...request, signal });
    const cuts = { ...request, stop: [...request.stop, ...stop] };
    const number = replies++;
    const reply = {
      id: `chatcmpl-${started.toString(36)}-${number}`,
      created: Math.floor(now() / 1000),
      model: agent.name,
      choices: answers.map(({ answer, texts }) => calledIn(saidOf(answer, texts, cuts), request.tools)),
      number,
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

function inChat({ messages, tools, form, maxTokens, stop, pictures }: ChatRequest, agent: ChatAgent): Asked {
  const asked = {
    messages: messagesWithCalls(messages),
    ...(tools.asked.length > 0 && { tools: tools.asked }),
    ...(form && { form }),
    ...(maxTokens < Infinity && { maxTokens }),
    stop,
  };
  return aboutMessages(agent, asked, pictures);
}

function inEpisode(request: ChatRequest, agent: EpisodeAgent): Asked {
  requireEpisode(request);
  const messages = request.messages as readonly ChatMessage[];
  const read = orWrongField('messages', () => agent.readMessages(messages));
  return aboutEpisode(agent, {
    ...read,
    ...(read.admissible && { admissibleOnly: true }),
    pictures: request.pictures,
    fields: { pictures: 'messages', admissible: 'messages' },
  });
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
