/**
 * A language model with its guard: limits on calls in flight, requests and tokens per minute, a budget, a circuit
 * breaker, and a journal that holds every reply before use.
 */
import { EmacError, type LanguageModel } from '@emac/core';
import { noUsage, type Budget, type Usage } from './budget.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { requestKey, type Journal, type JournalEntry } from './journal.ts';
import { callLimits, type LimitOptions, type Limits } from './limits.ts';
import type { Api, AskedTool, PicturedMessage, RequestContent } from './request.ts';
import type { Reply } from './response.ts';
import { service, type Ask, type ServiceOptions } from './service.ts';
import { checkedSettings } from './settings.ts';

interface Guard {
  /** the model's name on the server */
  readonly model: string;
  /** default `chat` */
  readonly api?: Api | undefined;
  readonly journal?: Journal;
  /** default for requests without one; default 0 */
  readonly temperature?: number;
  /** default limit of an answer in tokens; 1024, since reasoning models need room to answer at all */
  readonly maxTokens?: number | undefined;
  /** for budget and limits; default: bytes, an upper bound of tokens */
  readonly countTokens?: (text: string) => number;
}

export interface OpenaiLanguageModelOptions
  extends Guard, Omit<ServiceOptions, 'apiKey' | 'baseUrl' | 'api'>, Omit<LimitOptions, 'clock'> {
  /** the key; required without `baseUrl` */
  readonly apiKey?: string | undefined;
  /** address including `/v1`; default OpenAI's */
  readonly baseUrl?: string | undefined;
  readonly budget?: Budget | undefined;
  /** shared with other models; default: own ones from `concurrency`, `requestsPerMinute`, `tokensPerMinute` */
  readonly limits?: Limits;
  /** consecutive failed calls before sending stops; default 3 */
  readonly maxFailedCalls?: number;
}

export interface CompletionOptions {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly stop?: readonly string[];
  /** the reply's text is the arguments of its call */
  readonly tool?: AskedTool | undefined;
}

export interface GuardedLanguageModel extends LanguageModel {
  /** the model's text, '' for none; rejects like `reply` */
  complete(messages: readonly PicturedMessage[], options?: CompletionOptions): Promise<string>;
  /**
   * The text and how it ended. Rejects with EmacError: `auth` for a rejected key; `usage` for a request that the
   * service rejects; `unavailable` without a usable reply in time; `interrupted` after too many consecutive failures,
   * or if budget or account are used up.
   */
  reply(messages: readonly PicturedMessage[], options?: CompletionOptions): Promise<Reply>;
}

/**
 * A language model over the network; throws EmacError('auth' or 'usage') for invalid settings. `chat` and `responses` accept
 * pictures; `completions` rejects messages with them.
 */
export function openaiLanguageModel(options: OpenaiLanguageModelOptions): GuardedLanguageModel {
  const { api = 'chat' } = options;
  const ask = service({ ...options, ...checkedSettings(options), api });
  return guarded(options, guardedAsk(options, ask));
}

/** A language model that only replays its journal; an unrecorded request is a `data` error naming `source`. */
export function replayedLanguageModel(
  options: Guard & { readonly journal: Required<Journal>; readonly source: string },
): GuardedLanguageModel {
  const rule = 'it must be recorded with the same games, seed and expert flags';
  return guarded(options, () =>
    Promise.reject(
      new EmacError('data', `${options.source}: has no further reply for this request; ${rule}`),
    ),
  );
}

/** Sends requests that the journal does not contain; `request` is the journal's key. */
type AskOnce = (content: RequestContent, request: string) => Promise<Reply>;

function guarded(options: Guard, ask: AskOnce): GuardedLanguageModel {
  const { model, api = 'chat', journal } = options;
  const reply: GuardedLanguageModel['reply'] = async (messages, asked = {}) => {
    const {
      maxTokens = options.maxTokens ?? 1024,
      temperature = options.temperature ?? 0,
      stop = [],
      tool,
    } = asked;
    if (api === 'completions' && messages.some(({ pictures = [] }) => pictures.length > 0))
      throw new EmacError('usage', '--expert-api completions: takes no pictures; use chat or responses');
    if (api === 'completions' && tool)
      throw new EmacError('usage', '--expert-api completions: has no tools; use chat or responses');
    const content = { model, messages, maxTokens, temperature, stop, ...(tool && { tool }) };
    const request = requestKey({ ...content, api });
    const recorded = await journal?.take?.(request);
    return recorded ? { ...recorded, end: recorded.end ?? 'stop' } : ask(content, request);
  };
  return { reply, complete: async (messages, asked) => (await reply(messages, asked)).text };
}

function guardedAsk(options: OpenaiLanguageModelOptions, ask: Ask): AskOnce {
  const { journal, budget, countTokens = Buffer.byteLength } = options;
  // counting a long prompt takes milliseconds
  const isCounted = budget !== undefined || options.tokensPerMinute !== undefined;
  const { limits = callLimits(options) } = options;
  const breaker = circuitBreaker(options.maxFailedCalls ?? 3);
  const send = async (content: RequestContent, tokens: number): Promise<Reply> => {
    try {
      const reply = await ask(content, (signal) => limits.request(tokens, signal));
      breaker.succeeded();
      return reply;
    } catch (thrown) {
      throw isFailedCall(thrown) ? breaker.failed(thrown) : thrown;
    }
  };
  return (content, request) =>
    limits.inFlight(async () => {
      breaker.check();
      const most = isCounted ? mostUsage(content, countTokens) : noUsage;
      const reservation = budget?.reserve(most);
      let used: Usage | null = null;
      try {
        const tokens = most.promptTokens + most.completionTokens;
        await limits.request(tokens);
        const reply = await send(content, tokens);
        const entry = journalEntry(reply, { request, content, countTokens });
        used = entry;
        await journal?.append(entry);
        return reply;
      } finally {
        reservation?.settle(used);
      }
    });
}

function isFailedCall(thrown: unknown): thrown is EmacError {
  return thrown instanceof EmacError && thrown.code === 'unavailable';
}

/** framing of a message (OpenAI's cookbook) */
const tokensPerMessage = 4;

/** gpt-4o's maximum per picture: 85, and 170 for each of up to 8 tiles */
const tokensPerPicture = 1445;

function mostUsage(
  { messages, maxTokens, tool }: RequestContent,
  countTokens: NonNullable<Guard['countTokens']>,
): Usage {
  const promptTokens = messages.reduce(
    (sum, { content, pictures = [] }) =>
      sum + countTokens(content) + pictures.length * tokensPerPicture + tokensPerMessage,
    tool ? countTokens(JSON.stringify(tool)) : 0,
  );
  return { promptTokens, completionTokens: maxTokens };
}

interface Recorded {
  readonly request: string;
  readonly content: RequestContent;
  readonly countTokens: NonNullable<Guard['countTokens']>;
}

/** Usage that the server did not count is estimated, so a budget read from the journal misses nothing. */
function journalEntry(reply: Reply, { request, content, countTokens }: Recorded): JournalEntry {
  const { text, end, promptTokens, completionTokens } = reply;
  const isCounted = promptTokens !== null && completionTokens !== null;
  return {
    v: 1,
    request,
    model: content.model,
    text,
    ...(end === 'stop' ? {} : { end }),
    promptTokens: promptTokens ?? mostUsage(content, countTokens).promptTokens,
    completionTokens: completionTokens ?? countTokens(text),
    ...(isCounted ? {} : { estimated: true }),
  };
}
