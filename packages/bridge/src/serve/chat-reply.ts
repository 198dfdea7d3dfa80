/** Answers in the form of OpenAI's chat completions: one object, or server-sent events with one token each. */
import type { Said, SaidToken } from './said.ts';

export interface ChatReply {
  readonly id: string;
  /** seconds since 1970 */
  readonly created: number;
  readonly model: string;
  readonly said: Said;
  readonly promptTokens: number;
  readonly withLogProbabilities: boolean;
}

/** The whole answer as one object. */
export function completion(reply: ChatReply) {
  const { said } = reply;
  return {
    ...head(reply, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: said.text, refusal: null },
        logprobs: logProbabilities(reply, said.tokens),
        finish_reason: said.end,
      },
    ],
    usage: usage(reply),
  };
}

/** The whole answer as the text of server-sent events. */
export function events(reply: ChatReply, { includesUsage }: { readonly includesUsage: boolean }): string {
  const { said } = reply;
  const chunk = (delta: object, more: object = {}) => ({
    ...head(reply, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...more }],
    ...(includesUsage && { usage: null }),
  });
  const chunks: object[] = [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...said.tokens.map((token) =>
      chunk({ content: token.text }, { logprobs: logProbabilities(reply, [token]) }),
    ),
    chunk({}, { finish_reason: said.end }),
  ];
  if (includesUsage)
    chunks.push({ ...head(reply, 'chat.completion.chunk'), choices: [], usage: usage(reply) });
  return [...chunks.map((each) => JSON.stringify(each)), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('');
}

function head({ id, created, model }: ChatReply, object: string) {
  return { id, object, created, model };
}

function usage({ promptTokens, said }: ChatReply) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: said.count,
    total_tokens: promptTokens + said.count,
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
