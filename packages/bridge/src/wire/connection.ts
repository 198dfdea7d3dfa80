/**
 * JSON exchanges with one service: with a time limit, retries after a pause if useful, and proxies. Replies are fully
 * validated. A short, truncated or missing reply counts as a lost connection, never as a number.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { answerLimits, EmacError, isWithinLevels, messageOf } from '@emac/core';
import { EnvHttpProxyAgent, request, type Dispatcher } from 'undici';
import type { z } from 'zod';
import { codeOfStatus, parsedJson } from './json-exchange.ts';
import { timeLimit } from './time-limit.ts';
import { identityHeader } from '../lewis/messages.ts';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConnectionOptions {
  /** sent as `Authorization: Bearer`; default none */
  readonly token?: string | null;
  /** for request and answer, in milliseconds */
  readonly timeoutMs: number;
  /** retries after the first attempt; default 3 */
  readonly retries?: number;
  /** pause before the second attempt, in milliseconds, doubled for each further one; default 1000 */
  readonly backoffMs?: number;
  /** whether an exchange that took too long is retried; default true */
  readonly retriesTimeouts?: boolean;
  /** variables to search for HTTP_PROXY, HTTPS_PROXY and NO_PROXY, also in lower case; default: no proxies */
  readonly proxies?: Environment;
  /** ends requests and pauses */
  readonly signal?: AbortSignal;
  /** the caller's reading of an answer with a status other than 200; null: decide by status */
  readonly refusal?: (refused: Refused) => EmacError | Fault | null;
  /** waits so many milliseconds */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/** An answer with a status other than 200. */
export interface Refused {
  readonly url: string;
  readonly status: number;
  /** its raw text */
  readonly text: string;
}

export interface Reply<T> {
  readonly value: T;
  /** null if the service reports none */
  readonly identity: string | null;
}

export interface Connection {
  /** without a path, such as `http://127.0.0.1:9000` */
  readonly address: string;
  /** waits until the time is over or the signal fires */
  readonly pause: (milliseconds: number) => Promise<void>;
  /**
   * Posts JSON; `read` throws a `Fault` for an invalid reply. Errors: `unavailable` after the last attempt, with its
   * fault; `auth`; `data` for a request the service refuses; `interrupted`.
   */
  post<T>(path: string, body: object, read: (reply: unknown) => T): Promise<Reply<T>>;
  /** Like `post`, but reads only the answer's status. */
  tell(path: string, body: object): Promise<void>;
  /** null if there is no such path. Errors: as `post`. */
  get<T>(path: string, read: (reply: unknown) => T): Promise<T | null>;
}

/** A fault worth a retry. */
export class Fault extends Error {
  override readonly name = 'Fault';
  /** the wait requested by the server; 0 without one */
  readonly waitMs: number;
  /** whether the service took too long */
  readonly isLate: boolean;

  constructor(message: string, { waitMs = 0, isLate = false } = {}) {
    super(message);
    this.waitMs = waitMs;
    this.isLate = isLate;
  }
}

/** longest wait a server may request */
const longestWaitMs = 60_000;

/** `address` without a path. Sends nothing before the first call. */
export function openConnection(address: string, options: ConnectionOptions): Connection {
  const { token = null, retries = 3, backoffMs = 1000, proxies = {}, signal } = options;
  const { retriesTimeouts = true } = options;
  const { wait = (milliseconds) => sleep(milliseconds, undefined, signal && { signal }) } = options;
  const pause = (milliseconds: number) => wait(milliseconds).catch(() => {});
  const dispatcher = dispatcherBy(proxies);
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const exchange = async (path: string, body: object | null): Promise<Answered> => {
    const late = timeLimit(options.timeoutMs);
    const type = body === null ? {} : { 'content-type': 'application/json' };
    const text = body === null ? null : JSON.stringify(body);
    return exchanged(`${address}${path}`, sizeOf(text), {
      dispatcher,
      method: body === null ? 'GET' : 'POST',
      headers: { accept: 'application/json', 'user-agent': 'emac', ...type, ...authorization },
      body: text,
      signal: signal ? AbortSignal.any([late.signal, signal]) : late.signal,
    }).finally(late.clear);
  };
  const succeeded = (answered: Answered): Answered => {
    if (answered.status === 200) return answered;
    throw options.refusal?.(answered) ?? refusalOf(answered);
  };
  const tried = async <T>(attempt: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      if (signal?.aborted) throw new EmacError('interrupted', `${address}: stopped on request`);
      try {
        return await attempt();
      } catch (thrown) {
        if (!(thrown instanceof Fault)) throw thrown;
        if (signal?.aborted) continue;
        if (tries > retries || (thrown.isLate && !retriesTimeouts))
          throw new EmacError('unavailable', `${thrown.message}; that was try ${tries} of ${retries + 1}`);
        await pause(Math.max(thrown.waitMs, backoffMs * 2 ** (tries - 1)));
      }
    }
  };
  return {
    address,
    pause,
    post: (path, body, read) =>
      tried(async () => {
        const answered = await exchange(path, body);
        const value = read(jsonIn(succeeded(answered)));
        return { value, identity: identityIn(answered) };
      }),
    tell: (path, body) => tried(async () => void succeeded(await exchange(path, body))),
    get: (path, read) =>
      tried(async () => {
        const answered = await exchange(path, null);
        return answered.status === 404 ? null : read(jsonIn(succeeded(answered)));
      }),
  };
}

function dispatcherBy(env: Environment): Dispatcher {
  const variable = (name: string) => env[name.toLowerCase()] ?? env[name] ?? '';
  return new EnvHttpProxyAgent({
    httpProxy: variable('HTTP_PROXY'),
    httpsProxy: variable('HTTPS_PROXY'),
    noProxy: variable('NO_PROXY'),
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: answerLimits.bytes,
  });
}

/** Bytes of a request body. */
function sizeOf(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text);
}

interface Answered {
  readonly url: string;
  /** bytes of the request body */
  readonly sent: number;
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly text: string;
}

type Options = Parameters<typeof request>[1] & { readonly dispatcher: Dispatcher };

async function exchanged(url: string, sent: number, options: Options): Promise<Answered> {
  try {
    const { statusCode: status, headers, body } = await request(url, options);
    const header = (name: string) => [headers[name]].flat()[0] ?? null;
    return { url, sent, status, header, text: await body.text() };
  } catch (thrown) {
    const isLate = thrown instanceof Error && thrown.name === 'TimeoutError';
    throw new Fault(
      // a server may close the connection instead of reporting that the request is too large
      isLate
        ? `${url}: has not answered in time`
        : `${url}: does not answer (${reasonOf(thrown)})${sent > much ? tooMuch(sent) : '; is its server running?'}`,
      { isLate },
    );
  }
}

/** request size that some servers and proxies refuse, in bytes */
const much = 1024 * 1024;

function tooMuch(sent: number): string {
  return `; the request had ${sent} bytes (a service of emac takes 16 MiB): send fewer items at a time (LISTENER_CHUNK_SIZE or SPEAKER_CHUNK_SIZE), smaller pictures (--max-pixels), or, with --send paths, names only, to a service that reads the same folder`;
}

/** Several addresses of one host may have been tried. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return reasonOf(thrown.errors[0]);
  const code = (thrown as NodeJS.ErrnoException | null)?.code;
  const message = messageOf(thrown);
  return code === undefined || message.includes(code) ? message : `${message}, ${code}`;
}

/** An answer's JSON. */
function jsonIn({ url, header, text }: Answered): unknown {
  const type = header('content-type');
  if (!/^application\/json\s*(?:;|$)/i.test(type ?? ''))
    throw new Fault(`${url}: must answer with application/json, got ${type ?? 'no content type'}`);
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (thrown) {
    throw new Fault(`${url}: the answer is not JSON or is cut off: ${messageOf(thrown)}`);
  }
  if (isWithinLevels(answer)) return answer;
  throw new Fault(`${url}: the answer has more than ${answerLimits.levels} levels`);
}

function refusalOf({ url, sent, status, header, text }: Answered): Error {
  const message = `${url}: answers with status ${status}${whyIn(text)}${status === 413 ? tooMuch(sent) : ''}`;
  const isWorthATry = status === 408 || status === 429 || status >= 500;
  if (isWorthATry) return new Fault(message, { waitMs: waitIn(header('retry-after')) });
  return new EmacError(
    status === 407 ? 'auth' : status < 400 ? 'unavailable' : codeOfStatus(status),
    message,
  );
}

/** In the form of the published services or of ours. */
function whyIn(text: string): string {
  const { detail, error } = (parsedJson(text) ?? {}) as {
    readonly detail?: unknown;
    readonly error?: { readonly message?: unknown };
  };
  const said = detail ?? error?.message;
  if (said === undefined) return '';
  return `: ${(typeof said === 'string' ? said : JSON.stringify(said)).slice(0, 300)}`;
}

/** Seconds to milliseconds; dates are ignored. */
function waitIn(retryAfter: string | null): number {
  const seconds = /^\d{1,6}$/.test(retryAfter?.trim() ?? '') ? Number(retryAfter) : 0;
  return Math.min(seconds * 1000, longestWaitMs);
}

function identityIn({ header }: Answered): string | null {
  const written = header(identityHeader);
  try {
    return written && decodeURI(written);
  } catch {
    return written;
  }
}

/** Validates a reply. Throws a `Fault` naming the first invalid place and its value. */
export function checkedReply<T>(schema: z.ZodType<T>, reply: unknown, place: string): T {
  const { success, data, error } = schema.safeParse(reply);
  if (success) return data;
  const { path, message } = error.issues[0]!;
  const value = path.reduce<unknown>((of, key) => (of as Record<PropertyKey, unknown> | null)?.[key], reply);
  const shown = (JSON.stringify(value) ?? 'nothing').slice(0, 100);
  throw new Fault(`${place}: ${path.join('.') || 'the answer'}: ${message}, got ${shown}`);
}
