/**
 * The body of `POST /v1/chat/completions`. Unsupported fields are refused if they would change the answer; OpenAI's
 * bookkeeping fields are accepted and ignored.
 */
import type { ChatMessage } from '@emac/core';
import { z } from 'zod';
import { chatFields, chatMessages, never, roleOf, textPart, wantedAnswer } from './chat-fields.ts';
import { checkedBody, wrongField } from './refused-request.ts';
import { samplingFields } from './sampled.ts';

const part = z.discriminatedUnion(
  'type',
  [textPart, z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) })],
  { error: 'must be of type text or image_url' },
);
const zero = (what: string) => z.literal(0, never(what)).nullish();

const schema = z.strictObject({
  ...chatFields('the agent'),
  ...samplingFields,
  messages: chatMessages({
    part,
    wrongContent: 'must be a text or a list of parts of type text or image_url',
    wrongRole: 'must be system, developer, user or assistant; there are no tools',
    who: 'the agent',
  }),
  presence_penalty: zero('there are no penalties'),
  frequency_penalty: zero('there are no penalties'),
  logit_bias: z.strictObject({}, never('no bias is added')).nullish(),
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
    role: roleOf(role),
    content: textOf(content),
  }));
  const length = messages.reduce(
    (sum, { role, content }) => sum + (role === 'system' ? 0 : content.length),
    0,
  );
  if (length > mostCharacters)
    throw wrongField('messages', `messages: may have ${mostCharacters} characters, got ${length}`);
  const { maxTokens, ...wanted } = wantedAnswer(body);
  return {
    ...wanted,
    maxTokens: maxTokens ?? Infinity,
    messages,
    pictures: picturesOf(body.messages.at(-1)!.content),
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
