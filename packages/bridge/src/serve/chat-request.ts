/**
 * The body of `POST /v1/chat/completions`. Unsupported fields are refused if they would change the answer; OpenAI's
 * bookkeeping fields are accepted and ignored.
 */
import type { ChatMessage } from '@emac/core';
import { z } from 'zod';
import { checkedBody, wrongField } from './refused-request.ts';
import { samplingFields } from './sampled.ts';

const part = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
  ],
  { error: 'must be of type text or image_url' },
);
const never = (what: string) => ({ error: `${what}; leave it out` });
const nothing = (what: string) => z.array(z.unknown()).max(0, never(what)).nullish();
const zero = (what: string) => z.literal(0, never(what)).nullish();
const ignored = z.unknown().optional();

const content = z.union([z.string(), z.array(part).max(100)], {
  error: 'must be a text or a list of parts of type text or image_url',
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
      audio: z.null(never('sound is not supported')).optional(),
      function_call: z.null(never('the agent calls no functions')).optional(),
      tool_calls: nothing('the agent calls no tools'),
    }),
  ],
  { error: 'must be system, developer, user or assistant; there are no tools' },
);

const schema = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1).max(2001),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  ...samplingFields,
  logprobs: z.boolean().nullish(),
  top_logprobs: zero('only the probabilities of the chosen tokens are known'),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.literal(1, never('there is one answer')).nullish(),
  response_format: z.object({ type: z.literal('text', never('answers are text')) }).nullish(),
  modalities: z.tuple([z.literal('text')], never('answers are text')).nullish(),
  tools: nothing('the agent calls no tools'),
  parallel_tool_calls: ignored,
  tool_choice: z.literal(['none', 'auto'], never('the agent calls no tools')).nullish(),
  functions: nothing('the agent calls no functions'),
  presence_penalty: zero('there are no penalties'),
  frequency_penalty: zero('there are no penalties'),
  logit_bias: z.strictObject({}, never('no bias is added')).nullish(),
  reasoning_effort: ignored,
  user: ignored,
  metadata: ignored,
  store: ignored,
  service_tier: ignored,
  safety_identifier: ignored,
  prompt_cache_key: ignored,
});

type Body = z.infer<typeof schema>;

export interface ChatRequest extends Pick<Body, keyof typeof samplingFields> {
  readonly model: string;
  /** texts only */
  readonly messages: readonly ChatMessage[];
  /** data URLs in the last message: the current view */
  readonly pictures: readonly string[];
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly wantsLogProbabilities: boolean;
  readonly stream: { readonly includesUsage: boolean } | null;
}

/** characters of all messages except system ones, which are ignored */
export const mostCharacters = 65_536;

/** The request in a body. Throws a `RefusedRequest` that names the field. */
export function chatRequest(given: unknown): ChatRequest {
  const body = checkedBody(schema, given);
  const messages = body.messages.map(({ role, content }): ChatMessage => ({
    role: role === 'developer' ? 'system' : role,
    content: textOf(content),
  }));
  const length = messages.reduce(
    (sum, { role, content }) => sum + (role === 'system' ? 0 : content.length),
    0,
  );
  if (length > mostCharacters)
    throw wrongField('messages', `messages: may have ${mostCharacters} characters, got ${length}`);
  if (body.stream_options && !body.stream)
    throw wrongField('stream_options', 'stream_options: belongs to stream');
  const { stop, stream, stream_options: options } = body;
  return {
    model: body.model,
    messages,
    pictures: picturesOf(body.messages.at(-1)!.content),
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? Infinity,
    stop: [stop ?? []].flat().filter((text) => text !== ''),
    wantsLogProbabilities: body.logprobs ?? false,
    stream: stream ? { includesUsage: options?.include_usage ?? false } : null,
    temperature: body.temperature,
    top_p: body.top_p,
    seed: body.seed,
  };
}

type Content = Body['messages'][number]['content'];

function textOf(content: Content): string {
  if (typeof content === 'string') return content;
  if (content === null) return '';
  return content.flatMap((each) => (each.type === 'text' ? [each.text] : [])).join('\n');
}

function picturesOf(content: Content): string[] {
  if (content === null || typeof content === 'string') return [];
  return content.flatMap((each) => (each.type === 'image_url' ? [each.image_url.url] : []));
}
