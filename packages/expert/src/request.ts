/**
 * The request bodies of OpenAI's three text interfaces, and the fields to omit for a server that rejects them:
 * reasoning models reject `temperature` or `stop` and require `max_completion_tokens`, older servers know only
 * `max_tokens`. What was learnt applies to later requests.
 */
import type { ChatMessage } from '@emac/core';

export type Api = 'chat' | 'responses' | 'completions';

/** A message with optional pictures, placed before its text. */
export interface PicturedMessage extends ChatMessage {
  /** `data:` URLs */
  readonly pictures?: readonly string[];
}

/** The optional fields to send; `limit` null leaves the answer's length to the server. */
export interface SentFields {
  readonly temperature: boolean;
  readonly stop: boolean;
  readonly limit: string | null;
}

/** A function that the model has to call; the reply's text is then its arguments. */
export interface AskedTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface RequestContent {
  readonly model: string;
  readonly messages: readonly PicturedMessage[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly stop: readonly string[];
  readonly tool?: AskedTool | undefined;
}

export const paths: Readonly<Record<Api, string>> = {
  chat: '/chat/completions',
  responses: '/responses',
  completions: '/completions',
};

/** The fields for an unknown server. */
export function initialFields(api: Api): SentFields {
  return {
    temperature: true,
    stop: api !== 'responses',
    limit: api === 'responses' ? 'max_output_tokens' : 'max_tokens',
  };
}

/** The body of a request. */
export function requestBody(api: Api, content: RequestContent, sent: SentFields): Record<string, unknown> {
  const { model, messages, maxTokens, temperature, stop, tool } = content;
  return {
    model,
    ...promptField(api, messages),
    ...(sent.limit === null ? {} : { [sent.limit]: maxTokens }),
    ...(sent.temperature ? { temperature } : {}),
    ...(sent.stop && stop.length > 0 ? { stop } : {}),
    ...(tool && toolFields(api, tool)),
  };
}

/** The field named in a rejection (in `param` or in the message); null if it names none. */
export function refusedField(refusal: string, body: Record<string, unknown>): string | null {
  const fields = ['max_completion_tokens', 'max_output_tokens', 'max_tokens', 'temperature', 'stop'];
  const names = (field: string): boolean => new RegExp(`\\b${field}\\b`, 'i').test(refusal);
  return fields.find((field) => field in body && names(field)) ?? null;
}

/** The fields without a rejected one; unchanged if it is no longer sent. */
export function fieldsWithout(refused: string, sent: SentFields, api: Api): SentFields {
  if (refused === 'temperature' || refused === 'stop') return { ...sent, [refused]: false };
  if (sent.limit !== refused) return sent;
  return { ...sent, limit: api === 'chat' && refused === 'max_tokens' ? 'max_completion_tokens' : null };
}

function toolFields(api: Api, tool: AskedTool): Record<string, unknown> {
  const { name } = tool;
  return api === 'responses'
    ? { tools: [{ type: 'function', ...tool }], tool_choice: { type: 'function', name } }
    : {
        tools: [{ type: 'function', function: tool }],
        tool_choice: { type: 'function', function: { name } },
      };
}

function promptField(api: Api, messages: readonly PicturedMessage[]): Record<string, unknown> {
  if (api === 'completions') return { prompt: promptText(messages) };
  const said = messages.map(({ pictures = [], ...message }) =>
    pictures.length === 0 ? message : { ...message, content: parts[api](message.content, pictures) },
  );
  return api === 'chat' ? { messages: said } : { input: said };
}

type Parts = (text: string, pictures: readonly string[]) => object[];

const parts: Readonly<Record<Exclude<Api, 'completions'>, Parts>> = {
  chat: (text, pictures) => [
    ...pictures.map((url) => ({ type: 'image_url', image_url: { url } })),
    { type: 'text', text },
  ],
  responses: (text, pictures) => [
    ...pictures.map((url) => ({ type: 'input_image', image_url: url })),
    { type: 'input_text', text },
  ],
};

/** A question unchanged; a conversation with commands in ReAct's format, after `> `, up to an open `>`. */
function promptText(messages: readonly ChatMessage[]): string {
  if (!messages.some(({ role }) => role === 'assistant'))
    return messages.map(({ content }) => content).join('\n\n');
  const lines = messages.map(({ role, content }) => (role === 'assistant' ? `> ${content}` : content));
  return `${lines.join('\n')}\n>`;
}
