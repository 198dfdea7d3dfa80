/** Answers in the form of OpenAI's chat completions: one object, or server-sent events with one token each. */
import { callId, type SaidWithCalls } from './chat-tools.ts';
import type { SaidToken } from './said.ts';

export interface ChatReply {
  readonly id: string;
  /** seconds since 1970 */
  readonly created: number;
  readonly model: string;
  /** one or more */
  readonly choices: readonly SaidWithCalls[];
  /** of this conversation's replies, for the ids of calls */
  readonly number: number;
  readonly promptTokens: number;
  readonly withLogProbabilities: boolean;
}

/** The whole answer as one object. */
export function completion(reply: ChatReply) {
  return {
    ...head(reply, 'chat.completion'),
    choices: reply.choices.map((choice, index) => {
      const calls = callsOf(reply, index);
      return {
        index,
        message: {
          role: 'assistant',
          content: choice.content,
          refusal: null,
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        logprobs: logProbabilities(reply, choice.said.tokens),
        finish_reason: endOf(choice),
      };
    }),
    usage: usage(reply),
  };
}

/** The whole answer as the text of server-sent events. */
export function events(reply: ChatReply, { includesUsage }: { readonly includesUsage: boolean }): string {
  const chunk = (index: number, delta: object, more: object = {}) => ({
    ...head(reply, 'chat.completion.chunk'),
    choices: [{ index, delta, logprobs: null, finish_reason: null, ...more }],
    ...(includesUsage && { usage: null }),
  });
  const chunks: object[] = reply.choices.flatMap((choice, index) => [
    chunk(index, { role: 'assistant', content: choice.calls.length > 0 ? null : '', refusal: null }),
    ...(choice.calls.length > 0 ? calling(choice, index) : speaking(choice, index)),
    chunk(index, {}, { finish_reason: endOf(choice) }),
  ]);
  if (includesUsage)
    chunks.push({ ...head(reply, 'chat.completion.chunk'), choices: [], usage: usage(reply) });
  return [...chunks.map((each) => JSON.stringify(each)), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('');

  function speaking({ said }: SaidWithCalls, index: number) {
    return said.tokens.map((token) =>
      chunk(index, { content: token.text }, { logprobs: logProbabilities(reply, [token]) }),
    );
  }

  /** words, then each call with its name first; the log-probabilities of all tokens stand in the first */
  function calling({ said, content }: SaidWithCalls, index: number) {
    const deltas = [
      ...(content === null ? [] : [{ content }]),
      ...callsOf(reply, index).flatMap(({ function: { name, arguments: values }, ...call }, place) => [
        { tool_calls: [{ index: place, ...call, function: { name, arguments: '' } }] },
        { tool_calls: [{ index: place, function: { arguments: values } }] },
      ]),
    ];
    return deltas.map((delta, place) =>
      chunk(index, delta, place === 0 ? { logprobs: logProbabilities(reply, said.tokens) } : {}),
    );
  }
}

/** The calls of a choice in OpenAI's form. */
function callsOf({ choices, number }: ChatReply, index: number) {
  const before = choices.slice(0, index).reduce((sum, { calls }) => sum + calls.length, 0);
  return choices[index]!.calls.map(({ name, arguments: values }, place) => ({
    id: callId(number, before + place),
    type: 'function',
    function: { name, arguments: JSON.stringify(values) },
  }));
}

function endOf({ said, calls }: SaidWithCalls): string {
  return calls.length > 0 ? 'tool_calls' : said.end;
}

function head({ id, created, model }: ChatReply, object: string) {
  return { id, object, created, model };
}

function usage({ promptTokens, choices }: ChatReply) {
  const count = choices.reduce((sum, { said }) => sum + said.count, 0);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: count,
    total_tokens: promptTokens + count,
  };
}

function logProbabilities({ withLogProbabilities }: ChatReply, tokens: readonly SaidToken[]) {
  if (!withLogProbabilities) return null;
  const content = tokens.map(({ text, logProbability }) => ({
    token: text,
    logprob: logProbability,
    bytes: [...Buffer.from(text)],
    top_logprobs: [],
  }));
  return { content, refusal: null };
}
