/**
 * One call to a service with OpenAI's interfaces: its own retries under one deadline for connection, headers, body and
 * waits, a body limit, validated replies. The client's own retries are off: it obeys `Retry-After: 3600` and cannot be
 * aborted while it waits.
 */
import { EmacError, type Random } from '@emac/core';
import OpenAI from 'openai';
import { cappedFetch } from './capped-fetch.ts';
import type { Clock } from './clock.ts';
import { fault, faultOf, isFault, type Fault } from './fault.ts';
import { keyHider, redactor } from './redact.ts';
import {
  fieldsWithout,
  initialFields,
  paths,
  refusedField,
  requestBody,
  type Api,
  type RequestContent,
} from './request.ts';
import { filteredReply, readReply, type Reply } from './response.ts';
import { withRetries } from './retry.ts';

export interface ServiceOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly api: Api;
  readonly clock: Clock;
  /** only for the jitter of waits: the number of draws depends on the network */
  readonly random: Random;
  /** for a whole call, waits included; default 180,000 */
  readonly deadlineMs?: number | undefined;
  /** for one attempt; default a third of the deadline */
  readonly attemptMs?: number | undefined;
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

/**
 * Sends a request until there is a reply; `beforeSending` is awaited before every request but the first. Rejects with
 * EmacError: `auth` for a rejected key, `usage` for a request that the service rejects, `interrupted` for an empty
 * account, `unavailable` without a usable reply in time.
 */
export type Ask = (
  content: RequestContent,
  beforeSending: (signal: AbortSignal) => Promise<void>,
) => Promise<Reply>;

export function service(options: ServiceOptions): Ask {
  const { apiKey, baseUrl, api, clock, random, deadlineMs = 180_000 } = options;
  const redact = redactor(apiKey);
  const hide = keyHider(apiKey);
  const client = openaiClient(options);
  const send: Send = async (body, signal) => {
    try {
      return await client.post(paths[api], { body, signal, maxRetries: 0 });
    } catch (thrown) {
      throw faultOf(thrown, { redact, now: clock.now });
    }
  };
  const attempt = adaptingAttempt(api, send, redact);
  const retries = {
    deadlineMs,
    random,
    clock,
    attemptMs: options.attemptMs ?? deadlineMs / 3,
    maxAttempts: options.maxAttempts ?? 6,
    backoffMs: options.backoffMs ?? 500,
    maxBackoffMs: options.maxBackoffMs ?? 30_000,
    maxRetryAfterMs: options.maxRetryAfterMs ?? 120_000,
  };
  return async (content, beforeSending) => {
    try {
      const reply = await withRetries(async (signal, number) => {
        if (number > 1) await beforeSending(signal);
        return attempt(content, { signal, beforeSending });
      }, retries);
      return { ...reply, text: hide(reply.text) };
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown;
      if (thrown.kind === 'filtered') return filteredReply;
      throw emacError(thrown, redact(`language model ${content.model} at ${new URL(baseUrl).host}`));
    }
  };
}

function openaiClient(options: ServiceOptions): OpenAI {
  return new OpenAI({
    apiKey: options.apiKey,
    baseURL: options.baseUrl,
    maxRetries: 0,
    timeout: longestTimer, // the deadline's own signal applies instead
    fetch: cappedFetch(options.maxResponseBytes ?? 4 * 1024 * 1024),
    logLevel: 'off', // the client would log prompts if OPENAI_LOG says so
    adminAPIKey: null, // otherwise the client would read these from the environment
    organization: null,
    project: null,
    webhookSecret: null,
  });
}

/** Longest delay of Node's timers, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

type Send = (body: Record<string, unknown>, signal: AbortSignal) => Promise<unknown>;

interface AttemptContext {
  readonly signal: AbortSignal;
  readonly beforeSending: (signal: AbortSignal) => Promise<void>;
}

/** One attempt, resent at once without a field that the server rejects by name, once per field. */
function adaptingAttempt(
  api: Api,
  send: Send,
  redact: (text: string) => string,
): (content: RequestContent, context: AttemptContext) => Promise<Reply> {
  let sent = initialFields(api);
  return async (content, { signal, beforeSending }) => {
    for (const refused = new Set<string>(); ;) {
      const body = requestBody(api, content, sent);
      try {
        const answer = await send(body, signal);
        const reply = readReply(api, decoded(answer), content.tool?.name);
        if (reply) return reply;
        throw fault('retry', `the server answered with something else: ${excerpt(answer, redact)}`);
      } catch (thrown) {
        if (!isFault(thrown) || thrown.kind !== 'refused-field') throw thrown;
        const field = refusedField(thrown.message, body);
        if (field === null || refused.has(field)) throw thrown;
        refused.add(field);
        sent = fieldsWithout(field, sent, api);
        await beforeSending(signal);
      }
    }
  };
}

/** Servers without `application/json` still send JSON; the client leaves that as text. */
function decoded(answer: unknown): unknown {
  if (typeof answer !== 'string' || !answer.trimStart().startsWith('{')) return answer;
  try {
    return JSON.parse(answer) as unknown;
  } catch {
    return answer;
  }
}

/** Redacts before truncating: truncation within the key would hide it from the redactor. */
function excerpt(answer: unknown, redact: (text: string) => string): string {
  return redact(typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? 'nothing')).slice(0, 100);
}

function emacError({ kind, message }: Fault, place: string): EmacError {
  switch (kind) {
    case 'auth':
      return new EmacError(
        'auth',
        `${place}: the key was refused (${message}); set OPENAI_API_KEY to a valid key`,
      );
    case 'quota':
      return new EmacError('interrupted', `${place}: the account is empty (${message}); fill it and resume`);
    case 'retry':
    case 'filtered':
      return new EmacError(
        'unavailable',
        `${place}: no usable reply: ${message}; check the address and the service, then resume`,
      );
    case 'request':
    case 'refused-field':
      return new EmacError(
        'usage',
        `${place}: the service refuses the request: ${message}; check the model name, the address and the interface`,
      );
  }
}
