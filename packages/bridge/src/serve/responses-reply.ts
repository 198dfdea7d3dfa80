/** Answers in the form of OpenAI's Responses: one object, or server-sent events with the text token by token. */
import type { ResponsesBody } from './responses-request.ts';

/** What an answer takes of a chat completion. */
export interface Completed {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly [
    {
      readonly message: { readonly content: string | null; readonly tool_calls?: readonly CompletedCall[] };
      readonly logprobs: { readonly content: readonly CompletedToken[] } | null;
      readonly finish_reason: string;
    },
  ];
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
  };
}

interface CompletedCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface CompletedToken {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
}

/** The whole response. */
export function responseOf(completed: Completed, body: ResponsesBody) {
  const { finish_reason: end } = completed.choices[0];
  const { prompt_tokens: read, completion_tokens: said, total_tokens: total } = completed.usage;
  const isCut = end === 'length';
  return {
    ...head(completed, body),
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: itemsOf(completed, body),
    usage: {
      input_tokens: read,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: said,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: total,
    },
  };
}

function head({ id, created, model }: Completed, body: ResponsesBody) {
  return {
    id: named('resp', id),
    object: 'response',
    created_at: created,
    error: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: {},
    model,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: body.temperature ?? null,
    text: { format: body.text?.format ?? { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? null,
    truncation: 'disabled',
  };
}

/** `chatcmpl-3` with another first word. */
function named(word: string, id: string): string {
  return `${word}_${id.replace(/^[^-]*-/, '')}`;
}

/** The words, if there are any, then the calls. */
function itemsOf(completed: Completed, { include }: ResponsesBody) {
  const { message, logprobs, finish_reason: end } = completed.choices[0];
  const { content, tool_calls: calls = [] } = message;
  const status = end === 'length' ? 'incomplete' : 'completed';
  const isWanted = include?.includes('message.output_text.logprobs') ?? false;
  const words = {
    id: named('msg', completed.id),
    type: 'message',
    role: 'assistant',
    status,
    content: [
      {
        type: 'output_text',
        text: content ?? '',
        annotations: [],
        logprobs: isWanted ? (logprobs?.content ?? []) : [],
      },
    ],
  } as const;
  const called = calls.map(({ id, function: { name, arguments: given } }, place) => ({
    id: `${named('fc', completed.id)}_${place}`,
    type: 'function_call' as const,
    status: 'completed' as const,
    call_id: id,
    name,
    arguments: given,
  }));
  return content === null || (content === '' && calls.length > 0) ? called : [words, ...called];
}

type OutputItem = ReturnType<typeof itemsOf>[number];

/** The whole response as the text of server-sent events. */
export function responseEvents(completed: Completed, body: ResponsesBody): string {
  const response = responseOf(completed, body);
  const begun = { ...response, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  const pieces = completed.choices[0].logprobs?.content.map(({ token }) => token) ?? [];
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...response.output.flatMap((item, index) => eventsOf(item, index, pieces)),
    { type: `response.${response.status}`, response },
  ]
    .map((event, place) => ({ ...event, sequence_number: place }))
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

function eventsOf(item: OutputItem, index: number, pieces: readonly string[]): StreamEvent[] {
  const at = { item_id: item.id, output_index: index };
  const added = { type: 'response.output_item.added', output_index: index };
  const done = { type: 'response.output_item.done', output_index: index, item };
  if (item.type === 'function_call') {
    const { name, arguments: given } = item;
    return [
      { ...added, item: { ...item, status: 'in_progress', arguments: '' } },
      { type: 'response.function_call_arguments.delta', ...at, delta: given },
      { type: 'response.function_call_arguments.done', ...at, name, arguments: given },
      done,
    ];
  }
  const [part] = item.content;
  const within = { ...at, content_index: 0 };
  const { text } = part;
  // beside calls the words are not the whole answer
  const deltas = pieces.join('') === text ? pieces : [text];
  return [
    { ...added, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...within, part: { ...part, text: '', logprobs: [] } },
    ...deltas.map((delta) => ({ type: 'response.output_text.delta', ...within, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...within, text, logprobs: part.logprobs },
    { type: 'response.content_part.done', ...within, part },
    done,
  ];
}
