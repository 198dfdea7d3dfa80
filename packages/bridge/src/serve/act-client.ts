/** Requests to `/v1/act` of one server, with checked replies. */
import { setTimeout } from 'node:timers/promises';
import { EmacError, messageOf } from '@emac/core';
import { z } from 'zod';
import { codeOfStatus } from '../wire/json-exchange.ts';
import { timeLimit } from '../wire/time-limit.ts';
import { actReplySchema, type ActReply, type ActRequest } from './act-messages.ts';

export interface ActClientOptions {
  /** sent as `Authorization: Bearer`; null for none */
  readonly token?: string | null;
  /** milliseconds for request and answer; default two minutes */
  readonly timeoutMs?: number;
  /** retries of a question after a lost connection, or an overloaded server's stated wait; default 10 */
  readonly retries?: number;
}

/** The longest wait for an overloaded server, whatever it states. */
const longestWaitMs = 10_000;

/**
 * Sends questions to the server at an address. Errors: `usage` for an invalid address; of the returned function: as
 * `connectPolicy`'s.
 */
export function actClient(
  url: string,
  options: ActClientOptions,
): (request: ActRequest) => Promise<ActReply> {
  const { token = null, timeoutMs = 120_000, retries = 10 } = options;
  const address = addressOf(url);
  const headers = {
    'content-type': 'application/json',
    ...(token !== null && { authorization: `Bearer ${token}` }),
  };
  return async (request) => {
    const body = JSON.stringify(request);
    for (let tries = 0; ; tries++) {
      const mayRetry = tries < retries;
      const { signal, clear } = timeLimit(timeoutMs);
      let response: Response | null;
      try {
        // the token is for this server only
        response = await asked(address, { method: 'POST', headers, body, redirect: 'error', signal });
        const isOver = !mayRetry || ![408, 503].includes(response.status);
        if (isOver) return await replyOf(address, response);
        await response.arrayBuffer();
      } catch (thrown) {
        // the server closed a reused connection; a question may be sent twice
        if (!(mayRetry && isCutOff(thrown))) throw thrown;
        response = null;
      } finally {
        clear();
      }
      const seconds = Number(response?.headers.get('retry-after') ?? 0);
      await setTimeout(Math.min(longestWaitMs, Math.max(0, seconds || 0) * 1000));
    }
  };
}

const cutOff = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

function isCutOff(thrown: unknown): boolean {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const reason = cause instanceof Error ? (cause.cause ?? cause) : undefined;
  return cutOff.has(String((reason as { code?: unknown } | undefined)?.code));
}

function addressOf(url: string): string {
  const base = URL.canParse(url) ? new URL(url) : null;
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== '' || base.search !== '')
    throw new EmacError(
      'usage',
      `served agent: must be an address such as http://127.0.0.1:8700, got ${JSON.stringify(url)}`,
    );
  return `${base.origin}${base.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/act`;
}

async function asked(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
    throw new EmacError(
      'unavailable',
      `${address}: does not answer (${messageOf(cause)}); is emac serve running there?`,
      {
        cause: thrown,
      },
    );
  }
}

const errorSchema = z.object({ error: z.object({ message: z.string() }) });

async function replyOf(address: string, response: Response): Promise<ActReply> {
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) {
    const said = errorSchema.safeParse(body).data?.error.message.slice(0, 300) ?? 'no reason';
    throw new EmacError(codeOfStatus(response.status), `${address}: answers ${response.status}: ${said}`);
  }
  const { data, error } = actReplySchema.safeParse(body);
  if (data) return data;
  const issue = error.issues[0]!;
  throw new EmacError(
    'unavailable',
    `${address}: does not answer as emac serve does (${issue.path.join('.')}: ${issue.message})`,
  );
}
