/**
 * A request of an agent in training: OpenAI's chat completions. The trainer draws the answers, so settings of the drawing are ignored;
 * whatever else would change an answer is refused by its name.
 */
import type { AskedMessage, AskedMessages } from '@emac/core';
import { z } from 'zod';
import { checkedBody } from '../serve/refused-request.ts';

const never = (what: string) => ({ error: `${what}; leave it out` });
const nothing = (what: string) => z.array(z.unknown()).max(0, never(what)).nullish();
const ignored = z.unknown().optional();

const part = z.object(
  { type: z.literal('text'), text: z.string() },
  { error: 'must be of type text; pictures do not reach the policy' },
);
const content = z.union([z.string(), z.array(part).max(100)], {
  error: 'must be a text or a list of parts of type text; pictures do not reach the policy',
});
const name = z.string().nullish();

const message = z.discriminatedUnion(
  'role',
  [
    z.strictObject({ role: z.literal(['system', 'developer', 'user']), content, name }),
    // fields of a reply that clients send back; empty without tools
    z.strictObject({
      role: z.literal('assistant'),
      content: content.nullable(),
      name,
      refusal: ignored,
      annotations: ignored,
      reasoning_content: ignored,
      audio: z.null(never('sound is not supported')).optional(),
      function_call: z.null(never('the policy calls no functions')).optional(),
      tool_calls: nothing('the policy calls no tools'),
    }),
  ],
  { error: 'must be system, developer, user or assistant; the policy calls no tools' },
);

const schema = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1).max(2001),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.literal(0, never('only the probabilities of the chosen tokens are known')).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.literal(1, never('there is one answer')).nullish(),
  response_format: z.object({ type: z.literal('text', never('answers are text')) }).nullish(),
  modalities: z.tuple([z.literal('text')], never('answers are text')).nullish(),
  tools: nothing('the policy calls no tools'),
  tool_choice: z.literal(['none', 'auto'], never('the policy calls no tools')).nullish(),
  functions: nothing('the policy calls no functions'),
  // the trainer's own
  temperature: ignored,
  top_p: ignored,
  seed: ignored,
  presence_penalty: ignored,
  frequency_penalty: ignored,
  logit_bias: ignored,
  parallel_tool_calls: ignored,
  reasoning_effort: ignored,
  verbosity: ignored,
  user: ignored,
  metadata: ignored,
  store: ignored,
  service_tier: ignored,
  safety_identifier: ignored,
  prompt_cache_key: ignored,
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
  const { model, messages, stop, stream, stream_options: options } = body;
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  return {
    model,
    asked: {
      messages: messages.map(messageOf),
      ...(maxTokens != null && { maxTokens }),
      stop: [stop ?? []].flat().filter((text) => text !== ''),
    },
    wantsLogProbabilities: body.logprobs ?? false,
    stream: stream ? { includesUsage: options?.include_usage ?? false } : null,
  };
}

function messageOf({ role, content }: Body['messages'][number]): AskedMessage {
  return { role: role === 'developer' ? 'system' : role, content: textOf(content) };
}

function textOf(content: Body['messages'][number]['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text).join('\n');
}
