/**
 * A language model over the OpenAI interfaces, behind a guard: its own retries under one deadline for connection,
 * headers, body and waits, a limit on the body, checked replies, a token budget, and a journal that holds every reply
 * before it is used. The client's own retries are off; it obeys `Retry-After: 3600` and cannot be aborted while it waits.
 */
import { EmacError, type ChatMessage, type LanguageModel, type Random } from '@emac/core';
import OpenAI from 'openai';
import type { Budget } from './budget.ts';
import { cappedFetch } from './capped-fetch.ts';
import { checkedSettings } from './settings.ts';
import { fault, faultOf, isFault } from './fault.ts';
import { requestKey, type Journal, type JournalEntry } from './journal.ts';
import { redactor } from './redact.ts';
import {
  fieldsAfterRefusal,
  initialFields,
  paths,
  requestBody,
  type Api,
  type RequestContent,
} from './request.ts';
import { readReply, type Reply } from './response.ts';
import { withRetries } from './retry.ts';

export interface OpenaiLanguageModelOptions {
  /** the model's name, as the server knows it */
  readonly model: string;
  /** the key; needed unless `baseUrl` is given */
  readonly apiKey?: string | undefined;
  /** address up to and with `/v1`; default OpenAI's */
  readonly baseUrl?: string | undefined;
  /** default `chat` */
  readonly api?: Api;
  /** milliseconds since 1970 */
  readonly clock: () => number;
  /** for the jitter of waits alone: how much is drawn depends on the network */
  readonly random: Random;
  readonly journal?: Journal;
  readonly budget?: Budget;
  /** of requests that set none; default 0 */
  readonly temperature?: number;
  /** longest answer in tokens, of requests that set none; default 1024, as models that reason need room to answer at all */
  readonly maxTokens?: number;
  /** for a whole call, waits included; default 180,000 */
  readonly deadlineMs?: number;
  /** default 6 */
  readonly maxAttempts?: number;
  /** default 500, doubled up to 30,000 */
  readonly backoffMs?: number;
  readonly maxBackoffMs?: number;
  /** default 120,000 */
  readonly maxRetryAfterMs?: number;
  /** default 4 MiB */
  readonly maxResponseBytes?: number;
}

export interface CompletionOptions {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly stop?: readonly string[];
}

export interface OpenaiLanguageModel extends LanguageModel {
  /**
   * The model's text, '' when it gave none. Rejects with EmacError: 'auth' for a refused key, 'unavailable' when no
   * usable reply came, 'interrupted' when the budget is used up.
   */
  complete(messages: readonly ChatMessage[], options?: CompletionOptions): Promise<string>;
}

/** A guarded language model; throws EmacError('auth' or 'usage') for settings that cannot work. */
export function openaiLanguageModel(options: OpenaiLanguageModelOptions): OpenaiLanguageModel {
  const { model, journal, budget } = options;
  const { apiKey, baseUrl } = checkedSettings(options);
  const ask = guardedAsk(options, { apiKey, baseUrl });

  return {
    async complete(
      messages,
      { maxTokens = options.maxTokens ?? 1024, temperature = options.temperature ?? 0, stop = [] } = {},
    ) {
      const content: RequestContent = { model, messages, maxTokens, temperature, stop };
      const request = requestKey({ ...content, api: options.api ?? 'chat' });
      const recorded = await journal?.take?.(request);
      if (recorded) {
        budget?.add(usedTokens(recorded) ?? 0);
        return recorded.text;
      }
      const reservation = budget?.reserve(messages, maxTokens);
      const reply = await ask(content).catch((thrown: unknown) => {
        reservation?.settle(0);
        throw thrown;
      });
      await journal?.append({ v: 1, request, model, ...reply });
      reservation?.settle(usedTokens(reply));
      return reply.text;
    },
  };
}

function usedTokens({ promptTokens, completionTokens }: Reply | JournalEntry): number | null {
  return promptTokens === null || completionTokens === null ? null : promptTokens + completionTokens;
}

type Ask = (content: RequestContent) => Promise<Reply>;

function guardedAsk(options: OpenaiLanguageModelOptions, { apiKey, baseUrl }: Settings): Ask {
  const { api = 'chat', clock, random } = options;
  const redact = redactor(apiKey);
  const deadlineMs = options.deadlineMs ?? 180_000;
  const client = openaiClient(
    { apiKey, baseUrl },
    { deadlineMs, maxBytes: options.maxResponseBytes ?? 4 * 1024 * 1024 },
  );
  const send = async (body: Record<string, unknown>, signal: AbortSignal): Promise<unknown> => {
    try {
      return await client.post(paths[api], { body, signal, maxRetries: 0 });
    } catch (thrown) {
      throw faultOf(thrown, { redact, clock });
    }
  };
  const attempt = adaptingAttempt(api, send, redact);
  const retries = {
    maxAttempts: options.maxAttempts ?? 6,
    backoffMs: options.backoffMs ?? 500,
    maxBackoffMs: options.maxBackoffMs ?? 30_000,
    maxRetryAfterMs: options.maxRetryAfterMs ?? 120_000,
  };
  return async (content) => {
    try {
      return await withRetries((signal) => attempt(content, signal), {
        ...retries,
        deadlineMs,
        random,
        clock,
      });
    } catch (thrown) {
      throw asEmacError(thrown, redact(`language model ${content.model} at ${new URL(baseUrl).host}`));
    }
  };
}

interface Settings {
  readonly apiKey: string;
  readonly baseUrl: string;
}

function openaiClient(
  { apiKey, baseUrl }: Settings,
  limits: { deadlineMs: number; maxBytes: number },
): OpenAI {
  return new OpenAI({
    apiKey,
    baseURL: baseUrl,
    maxRetries: 0,
    timeout: Math.ceil(limits.deadlineMs) + 1000, // the deadline's own signal is the one that counts
    fetch: cappedFetch(limits.maxBytes),
    logLevel: 'off', // the client would log prompts when OPENAI_LOG says so
    adminAPIKey: null, // what follows would otherwise be read from the environment
    organization: null,
    project: null,
    webhookSecret: null,
  });
}

type Send = (body: Record<string, unknown>, signal: AbortSignal) => Promise<unknown>;

/** One attempt, sent again at once without a field that the server refuses by name. */
function adaptingAttempt(
  api: Api,
  send: Send,
  redact: (text: string) => string,
): (content: RequestContent, signal: AbortSignal) => Promise<Reply> {
  let sent = initialFields(api);
  return async function attempt(content, signal) {
    const tried = sent;
    const body = requestBody(api, content, tried);
    try {
      const answer = await send(body, signal);
      const reply = readReply(api, answer);
      if (!reply) throw fault('retry', `the server answered with something else: ${excerpt(answer, redact)}`);
      return reply;
    } catch (thrown) {
      if (!isFault(thrown) || thrown.kind !== 'refused-field') throw thrown;
      const fewer = fieldsAfterRefusal(thrown.message, body, tried);
      if (!fewer) throw thrown;
      sent = fewer;
      return attempt(content, signal);
    }
  };
}

/** Redacted before it is cut: a cut through the key would hide it from the redactor. */
function excerpt(answer: unknown, redact: (text: string) => string): string {
  return redact(typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? 'nothing')).slice(0, 100);
}

function asEmacError(thrown: unknown, place: string): unknown {
  if (!isFault(thrown)) return thrown;
  if (thrown.kind === 'auth')
    return new EmacError(
      'auth',
      `${place}: the key was refused (${thrown.message}); set OPENAI_API_KEY to a valid key`,
    );
  const advice = 'check the address, the model name and the service, then resume';
  return new EmacError('unavailable', `${place}: no usable reply: ${thrown.message}; ${advice}`);
}
