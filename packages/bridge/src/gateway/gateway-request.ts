/**
 * A request of an agent in training: OpenAI's chat completions. The trainer draws the answers, so settings of the drawing are ignored;
 * whatever else would change an answer is refused by its name.
 */
import type { AskedMessage, AskedMessages } from '@emac/core';
import { z } from 'zod';
import { chatFields, chatMessages, ignored, roleOf, textPart, wantedAnswer } from '../serve/chat-fields.ts';
import { checkedBody } from '../serve/refused-request.ts';

const noPictures = 'pictures do not reach the policy';

const schema = z.strictObject({
  ...chatFields('the policy'),
  messages: chatMessages({
    part: z.object(textPart.shape, { error: `must be of type text; ${noPictures}` }),
    wrongContent: `must be a text or a list of parts of type text; ${noPictures}`,
    wrongRole: 'must be system, developer, user or assistant; the policy calls no tools',
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
  readonly wantsLogProbabilities: boolean;
  readonly stream: { readonly includesUsage: boolean } | null;
}

/** The request in a body. Throws a `RefusedRequest` that names the field. */
export function gatewayRequest(given: unknown): GatewayRequest {
  const body = checkedBody(schema, given);
  const { maxTokens, stop, ...wanted } = wantedAnswer(body);
  const messages = body.messages.map(messageOf);
  return { ...wanted, asked: { messages, ...(maxTokens !== null && { maxTokens }), stop } };
}

function messageOf({ role, content }: Body['messages'][number]): AskedMessage {
  return { role: roleOf(role), content: textOf(content) };
}

function textOf(content: Body['messages'][number]['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text).join('\n');
}
