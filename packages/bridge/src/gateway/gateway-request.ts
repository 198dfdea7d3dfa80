/**
 * A request of an agent in training: OpenAI's chat completions. The trainer draws the answers, so settings of the drawing are ignored;
 * whatever else would change an answer is refused by its name.
 */
import type { AskedMessages } from '@emac/core';
import { z } from 'zod';
import { formIn } from '../serve/answer-form.ts';
import {
  chatFields,
  chatMessages,
  contentPart,
  ignored,
  never,
  partTexts,
  pictureUrls,
  roleOf,
  wantedAnswer,
} from '../serve/chat-fields.ts';
import { givenTools, messagesWithCalls, type GivenMessage, type GivenTools } from '../serve/chat-tools.ts';
import { checkedBody } from '../serve/refused-request.ts';

const schema = z.strictObject({
  ...chatFields,
  n: z.literal(1, never('in training every answer is a step of the attempt')).nullish(),
  messages: chatMessages({
    part: contentPart,
    wrongContent: 'must be a text or a list of parts of type text or image_url',
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
  /** data URLs in the last message: the current view */
  readonly pictures: readonly string[];
  readonly wantsLogProbabilities: boolean;
  readonly stream: { readonly includesUsage: boolean } | null;
}

/** The request in a body. Throws a `RefusedRequest` that names the field. */
export function gatewayRequest(given: unknown): GatewayRequest {
  const body = checkedBody(schema, given);
  const { maxTokens, stop, ...wanted } = wantedAnswer(body);
  const tools = givenTools(body);
  const form = formIn(body.response_format, tools);
  const messages = messagesWithCalls(body.messages.map(messageOf));
  return {
    ...wanted,
    tools,
    pictures: pictureUrls(body.messages.at(-1)!.content),
    asked: {
      messages,
      ...(tools.asked.length > 0 && { tools: tools.asked }),
      ...(form && { form }),
      ...(maxTokens !== null && { maxTokens }),
      stop,
    },
  };
}

function messageOf({ role, content, ...message }: Body['messages'][number]): GivenMessage {
  return { ...message, role: roleOf(role), content: partTexts(content) };
}
