/**
 * The body of `POST /v1/chat/completions`. Unsupported fields are refused if they would change the answer; OpenAI's
 * bookkeeping fields are accepted and ignored.
 */
import type { AnswerConstraint } from '@emac/core';
import { z } from 'zod';
import { formIn } from './answer-form.ts';
import {
  chatFields,
  chatMessages,
  contentPart,
  never,
  partTexts,
  pictureUrls,
  roleOf,
  wantedAnswer,
} from './chat-fields.ts';
import { givenTools, type GivenMessage, type GivenTools } from './chat-tools.ts';
import { checkedBody, wrongField } from './refused-request.ts';
import { samplingFields } from './sampled.ts';

const zero = (what: string) => z.literal(0, never(what)).nullish();

const schema = z.strictObject({
  ...chatFields,
  ...samplingFields,
  messages: chatMessages({
    part: contentPart,
    wrongContent: 'must be a text or a list of parts of type text or image_url',
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
  readonly messages: readonly GivenMessage[];
  readonly tools: GivenTools;
  /** null: any text */
  readonly form: AnswerConstraint | null;
  /** independent answers */
  readonly count: number;
  /** data URLs in the last message: the current view */
  readonly pictures: readonly string[];
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly wantsLogProbabilities: boolean;
  readonly stream: { readonly includesUsage: boolean } | null;
}

/** characters of messages as they are, with their calls */
const mostChatCharacters = 16 * 65_536;

/** characters of an episode: all messages but system ones, which are no part of it */
export const mostCharacters = 65_536;

/** The request in a body. Throws a `RefusedRequest` that names the field. */
export function chatRequest(given: unknown): ChatRequest {
  const body = checkedBody(schema, given);
  const messages = body.messages.map(({ role, content, ...message }): GivenMessage => ({
    ...message,
    role: roleOf(role),
    content: partTexts(content),
  }));
  requireShort(messages);
  const { maxTokens, ...wanted } = wantedAnswer(body);
  const count = body.n ?? 1;
  if (count > 1 && !body.temperature)
    throw wrongField('n', 'n: without a temperature all answers are equal; give one, or leave n out');
  const tools = givenTools(body);
  return {
    ...wanted,
    maxTokens: maxTokens ?? Infinity,
    messages,
    tools,
    form: formIn(body.response_format, tools),
    count,
    pictures: pictureUrls(body.messages.at(-1)!.content),
    temperature: body.temperature,
    top_p: body.top_p,
    seed: body.seed,
  };
}

/** Throws a `RefusedRequest` for more than anybody reads, before tokens are counted. */
function requireShort(messages: readonly GivenMessage[]): void {
  const length = messages.reduce(
    (sum, { content, tool_calls: calls }) => sum + content.length + JSON.stringify(calls ?? '').length,
    0,
  );
  if (length > mostChatCharacters)
    throw wrongField('messages', `messages: may have ${mostChatCharacters} characters, got ${length}`);
}

/** Throws a `RefusedRequest` for tools, and for messages that are too long for an episode. */
export function requireEpisode({ messages, tools, form }: ChatRequest): void {
  if (form?.kind === 'json')
    throw wrongField(
      'response_format',
      'response_format: answers are commands of an environment; leave it out',
    );
  const calling = messages.findIndex(({ role, tool_calls: calls }) => role === 'tool' || calls?.length);
  if (tools.asked.length > 0) throw wrongField('tools', `tools: ${callsNothing}`);
  if (calling >= 0) throw wrongField(`messages.${calling}`, `messages.${calling}: ${callsNothing}`);
  const length = messages.reduce(
    (sum, { role, content }) => sum + (role === 'system' ? 0 : content.length),
    0,
  );
  if (length > mostCharacters)
    throw wrongField('messages', `messages: may have ${mostCharacters} characters, got ${length}`);
}

const callsNothing =
  'the served agent reads messages as an episode of its environment and calls no tools; serve a chat model with --messages chat';
