/**
 * Replies of OpenAI's three text interfaces, checked: servers and the proxies before them answer 200 with HTML, `{}` or
 * an error object. A reply without text (a refusal, a tool call, an answer cut off before it began) is '' and valid.
 */
import { z } from 'zod';
import type { Api } from './request.ts';

export interface Reply {
  readonly text: string;
  /** null where the server did not say */
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

const count = z.number().int().nonnegative().nullish().catch(null);
const usage = z.object({ prompt_tokens: count, completion_tokens: count }).nullish().catch(null);

const chat = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })).min(1),
  usage,
});

const completions = z.object({ choices: z.array(z.object({ text: z.string() })).min(1), usage });

const part = z.object({ type: z.string(), text: z.string().optional() });
const responses = z.object({
  output: z.array(z.object({ type: z.string(), content: z.array(part).nullish() })),
  usage: z.object({ input_tokens: count, output_tokens: count }).nullish().catch(null),
});

/** The text and usage of a decoded response body; null when it is not a reply of this interface. */
export function readReply(api: Api, body: unknown): Reply | null {
  if (api === 'chat') return chatReply(body);
  return api === 'responses' ? responsesReply(body) : completionsReply(body);
}

function chatReply(body: unknown): Reply | null {
  const { data } = chat.safeParse(body);
  return data ? { text: data.choices[0]!.message.content ?? '', ...tokens(data.usage) } : null;
}

function completionsReply(body: unknown): Reply | null {
  const { data } = completions.safeParse(body);
  return data ? { text: data.choices[0]!.text, ...tokens(data.usage) } : null;
}

function responsesReply(body: unknown): Reply | null {
  const { data } = responses.safeParse(body);
  if (!data) return null;
  const parts = data.output.filter(({ type }) => type === 'message').flatMap(({ content }) => content ?? []);
  const text = parts.flatMap(({ type, text }) => (type === 'output_text' && text ? [text] : [])).join('');
  return {
    text,
    promptTokens: data.usage?.input_tokens ?? null,
    completionTokens: data.usage?.output_tokens ?? null,
  };
}

function tokens(usage: z.infer<typeof chat>['usage']): Omit<Reply, 'text'> {
  return { promptTokens: usage?.prompt_tokens ?? null, completionTokens: usage?.completion_tokens ?? null };
}
