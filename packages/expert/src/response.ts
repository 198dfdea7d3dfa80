/**
 * Replies of OpenAI's three text interfaces, validated: servers and proxies sometimes answer 200 with HTML, `{}` or an
 * error object. A reply without text (a refusal, a tool call, an answer truncated before it began) is valid; `end`
 * states its kind.
 */
import { z } from 'zod';
import type { Api } from './request.ts';

/** `stop`: ended by the model; `length`: truncated; `filtered`: withheld by the service; `refused`: by the model. */
export type ReplyEnd = 'stop' | 'length' | 'filtered' | 'refused' | 'tool-call';

export interface Reply {
  /** '' for none; a refusal's text, if any; the arguments of a called tool if it was asked for */
  readonly text: string;
  readonly end: ReplyEnd;
  /** null if the server did not say */
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

const count = z.number().int().nonnegative().nullish().catch(null);
const usage = z.object({ prompt_tokens: count, completion_tokens: count }).nullish().catch(null);
const text = z.string().nullish();
const reason = text.catch(null);

/** Ollama and others give arguments as an object. */
const argumentsText = z.union([z.string(), z.looseObject({}).transform((given) => JSON.stringify(given))]);
const called = z.object({ name: z.string(), arguments: argumentsText });
const part = z.object({ type: z.string(), text: text.catch(null), refusal: reason });
const chatMessage = z.object({
  content: z.union([text, z.array(part)]),
  refusal: reason,
  tool_calls: z
    .array(z.object({ function: called }))
    .nullish()
    .catch(null),
});
const chat = z.object({
  choices: z.array(z.object({ message: chatMessage, finish_reason: reason })).min(1),
  usage,
});

const completions = z.object({
  choices: z.array(z.object({ text, finish_reason: reason })).min(1),
  usage,
});

const responses = z.object({
  output: z.array(
    z.object({ type: z.string(), content: z.array(part).nullish(), ...called.partial().shape }),
  ),
  incomplete_details: z.object({ reason }).nullish().catch(null),
  usage: z.object({ input_tokens: count, output_tokens: count }).nullish().catch(null),
});

/**
 * A decoded response body as a reply; null if it does not match this interface. A call of the asked `tool` is an answer; its text is the
 * call's arguments.
 */
export function readReply(api: Api, body: unknown, tool?: string): Reply | null {
  if (api === 'chat') return chatReply(body, tool);
  return api === 'responses' ? responsesReply(body, tool) : completionsReply(body);
}

/** The reply of a service that withholds an answer with an error (as Azure does). */
export const filteredReply: Reply = { text: '', end: 'filtered', promptTokens: null, completionTokens: null };

function chatReply(body: unknown, tool: string | undefined): Reply | null {
  const { data } = chat.safeParse(body);
  if (!data) return null;
  const { message, finish_reason } = data.choices[0]!;
  const refusal = message.refusal || refusalIn(message.content);
  if (refusal) return { text: refusal, end: 'refused', ...tokens(data.usage) };
  const call = message.tool_calls?.find((each) => each.function.name === tool)?.function;
  if (call) return { text: call.arguments, end: 'stop', ...tokens(data.usage) };
  return { text: textOf(message.content), end: endOf(finish_reason), ...tokens(data.usage) };
}

type Content = z.infer<typeof chatMessage>['content'];

/** Parts with reasoning are no answer. */
function textOf(content: Content): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.map(({ type, text }) => (isTextPart(type) ? (text ?? '') : '')).join('');
}

function refusalIn(content: Content): string | null {
  const found = Array.isArray(content) ? content.find(({ type }) => type === 'refusal') : undefined;
  return found?.refusal ?? null;
}

const isTextPart = (type: string): boolean => type === 'text' || type === 'output_text';

function completionsReply(body: unknown): Reply | null {
  const { data } = completions.safeParse(body);
  if (!data) return null;
  const { text, finish_reason } = data.choices[0]!;
  return { text: text ?? '', end: endOf(finish_reason), ...tokens(data.usage) };
}

function responsesReply(body: unknown, tool: string | undefined): Reply | null {
  const { data } = responses.safeParse(body);
  if (!data) return null;
  const parts = data.output.filter(({ type }) => type === 'message').flatMap(({ content }) => content ?? []);
  const counted = {
    promptTokens: data.usage?.input_tokens ?? null,
    completionTokens: data.usage?.output_tokens ?? null,
  };
  const refusal = parts.find(({ type }) => type === 'refusal');
  if (refusal) return { text: refusal.refusal ?? '', end: 'refused', ...counted };
  const call = data.output.find(({ type, name }) => type === 'function_call' && name === tool);
  if (call?.arguments !== undefined) return { text: call.arguments, end: 'stop', ...counted };
  const text = textOf(parts);
  const isCall = text === '' && data.output.some(({ type }) => type.endsWith('_call'));
  return { text, end: isCall ? 'tool-call' : endOf(data.incomplete_details?.reason), ...counted };
}

function endOf(said: string | null | undefined): ReplyEnd {
  if (said === 'content_filter') return 'filtered';
  if (said === 'length' || said === 'max_output_tokens') return 'length';
  return said === 'tool_calls' || said === 'function_call' ? 'tool-call' : 'stop';
}

function tokens(usage: z.infer<typeof chat>['usage']): Pick<Reply, 'promptTokens' | 'completionTokens'> {
  return { promptTokens: usage?.prompt_tokens ?? null, completionTokens: usage?.completion_tokens ?? null };
}
