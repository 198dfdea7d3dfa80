/**
 * A request of an agent in training: OpenAI's chat completions. The trainer draws the answers, so settings of the drawing are ignored;
 * whatever else would change an answer is refused by its name.
 */
import type { AskedMessages } from '@emac/core';
import { z } from 'zod';
import {
  chatFields,
  chatMessages,
  ignored,
  never,
  roleOf,
  textPart,
  wantedAnswer,
} from '../serve/chat-fields.ts';
import { givenTools, messagesWithCalls, type GivenMessage, type GivenTools } from '../serve/chat-tools.ts';
import { checkedBody } from '../serve/refused-request.ts';

const noPictures = 'pictures do not reach the policy';

const schema = z.strictObject({
  ...chatFields,
  n: z.literal(1, never('in training every answer is a step of the attempt')).nullish(),
  messages: chatMessages({
    part: z.object(textPart.shape, { error: `must be of type text; ${noPictures}` }),
    wrongContent: `must be a text or a list of parts of type text; ${noPictures}`,
    who: 'the policy',
  }),
  // the trainer's own
  temperature: ignored,
  top_p: ignored,
  seed: ignored,
  presence_penalty: ignored,
  frequency_penalty: ignored,
  logit_bias: ignored,
  verbosity: ignored,
  prompt_cache_retention: ignored,
});

type Body = z.infer<typeof schema>;

export interface GatewayRequest {
  readonly model: string;
  readonly asked: AskedMessages;
  readonly tools: GivenTools;
  readonly wantsLogProbabilities: boolean;
  readonly stream: { readonly includesUsage: boolean } | null;
}

/** The request in a body. Throws a `RefusedRequest` that names the field. */
export function gatewayRequest(given: unknown): GatewayRequest {
  const body = checkedBody(schema, given);
  const { maxTokens, stop, ...wanted } = wantedAnswer(body);
  const tools = givenTools(body);
  const messages = messagesWithCalls(body.messages.map(messageOf));
  return {
    ...wanted,
    tools,
    asked: {
      messages,
      ...(tools.asked.length > 0 && { tools: tools.asked }),
      ...(maxTokens !== null && { maxTokens }),
      stop,
    },
  };
}

function messageOf({ role, content, ...message }: Body['messages'][number]): GivenMessage {
  return { ...message, role: roleOf(role), content: textOf(content) };
}

function textOf(content: Body['messages'][number]['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text).join('\n');
}
