/**
 * Exchanges with a service of the game: within a time limit, asked again after a pause where another try may help, through the proxies that are named. What comes back
 * is checked as a whole; a reply that is short, cut off or no reply is a fault like a lost connection, never a number.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EmacError, messageOf } from '@emac/core';
import { EnvHttpProxyAgent, request, type Dispatcher } from 'undici';
import type { z } from 'zod';
import { codeOfStatus, parsedJson } from '../wire/json-exchange.ts';
import { identityHeader } from './messages.ts';

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConnectionOptions {
  /** shown as `Authorization: Bearer`; default none */
  readonly token?: string | null;
  /** for a request and its answer, in milliseconds */
  readonly timeoutMs: number;
  /** tries after the first one; default 3 */
  readonly retries?: number;
  /** pause before the second try, in milliseconds, twice as long before each further one; default 1000 */
  readonly backoffMs?: number;
  /** in which HTTP_PROXY, HTTPS_PROXY and NO_PROXY are looked up, in lower case too; default: no proxies */
  readonly proxies?: Environment;
  /** ends requests and pauses */
  readonly signal?: AbortSignal;
  /** what an answer with another status than 200 means, where the caller knows better; null: by its status */
  readonly refusal?: (refused: Refused) => EmacError | Fault | null;
  /** waits so many milliseconds */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/** An answer with another status than 200. */
export interface Refused {
  readonly url: string;
  readonly status: number;
  /** its text, as it came */
  readonly text: string;
}

export interface Reply<T> {
  readonly value: T;
  /** null where the service does not tell it */
  readonly identity: string | null;
}

export interface Connection {
  /** without a path, such as `http://127.0.0.1:9000` */
  readonly address: string;
  /** waits, no longer than until the signal fires */
  readonly pause: (milliseconds: number) => Promise<void>;
  /**
   * Posts JSON; `read` throws a `Fault` for what is no reply. Errors: `unavailable` after the last try, naming what was wrong with it; `auth`; `data` for what the
   * service refuses; `interrupted`.
   */
  post<T>(path: string, body: object, read: (reply: unknown) => T): Promise<Reply<T>>;
  /** As `post`, to whom it is told and whose answer does not matter beyond its status. */
  tell(path: string, body: object): Promise<void>;
  /** null where there is no such path. Errors as those of `post`. */
  get<T>(path: string, read: (reply: unknown) => T): Promise<T | null>;
}

/** Something that may go well the next time. */
export class Fault extends Error {
  override readonly name = 'Fault';
  /** what the server asked to wait; 0 where it did not */
  readonly waitMs: number;

  constructor(message: string, waitMs = 0) {
    super(message);
    this.waitMs = waitMs;
  }
}

/** longest that a server may ask to wait */
const longestWaitMs = 60_000;
/** of a reply, in bytes */
const largestReply = 64 * 1024 * 1024;

/** `address` without a path. Nothing is sent before it is asked for. */
export function openConnection(address: string, options: ConnectionOptions): Connection {
  const { token = null, retries = 3, backoffMs = 1000, proxies = {}, signal } = options;
  const { wait = (milliseconds) => sleep(milliseconds, undefined, signal && { signal }) } = options;
  const pause = (milliseconds: number) => wait(milliseconds).catch(() => {});
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: proxies['http_proxy'] ?? proxies['HTTP_PROXY'] ?? '',
    httpsProxy: proxies['https_proxy'] ?? proxies['HTTPS_PROXY'] ?? '',
    noProxy: proxies['no_proxy'] ?? proxies['NO_PROXY'] ?? '',
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: largestReply,
  });
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const exchange = async (path: string, body: object | null): Promise<Answered> => {
    const ends = [AbortSignal.timeout(options.timeoutMs), ...(signal ? [signal] : [])];
    const type = body === null ? {} : { 'content-type': 'application/json' };
    const text = body === null ? null : JSON.stringify(body);
    return exchanged(`${address}${path}`, sizeOf(text), {
      dispatcher,
      method: body === null ? 'GET' : 'POST',
      headers: { accept: 'application/json', 'user-agent': 'emac', ...type, ...authorization },
      body: text,
      signal: AbortSignal.any(ends),
    });
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
        if (tries > retries)
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

/** Bytes of what is sent. */
function sizeOf(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text);
}

interface Answered {
  readonly url: string;
  /** bytes of the request's body */
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
      // who is sent too much may close the connection instead of saying so
      isLate
        ? `${url}: has not answered in time`
        : `${url}: does not answer (${reasonOf(thrown)})${sent > much ? tooMuch(sent) : ''}`,
    );
  }
}

/** bytes of a request that some servers and proxies refuse */
const much = 1024 * 1024;

function tooMuch(sent: number): string {
  return `; the request had ${sent} bytes (a service of emac takes 16 MiB): send fewer items at a time (LISTENER_CHUNK_SIZE or SPEAKER_CHUNK_SIZE), smaller pictures (--max-pixels), or with --send paths their names to a service that reads the same folder`;
}

/** Several addresses of one host may have been tried. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return reasonOf(thrown.errors[0]);
  const code = (thrown as NodeJS.ErrnoException | null)?.code;
  const message = messageOf(thrown);
  return code === undefined || message.includes(code) ? message : `${message}, ${code}`;
}

/** The JSON of an answer. */
function jsonIn({ url, header, text }: Answered): unknown {
  const type = header('content-type');
  if (!/^application\/json\s*(?:;|$)/i.test(type ?? ''))
    throw new Fault(`${url}: must answer with application/json, got ${type ?? 'no content type'}`);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Fault(`${url}: the answer is not JSON or is cut off: ${messageOf(thrown)}`);
  }
}

function refusalOf({ url, sent, status, header, text }: Answered): Error {
  const message = `${url}: answers with status ${status}${whyIn(text)}${status === 413 ? tooMuch(sent) : ''}`;
  const isWorthATry = status === 408 || status === 429 || status >= 500;
  if (isWorthATry) return new Fault(message, waitIn(header('retry-after')));
  return new EmacError(
    status === 407 ? 'auth' : status < 400 ? 'unavailable' : codeOfStatus(status),
    message,
  );
}

/** As the published services say it, or ours. */
function whyIn(text: string): string {
  const { detail, error } = (parsedJson(text) ?? {}) as {
    readonly detail?: unknown;
    readonly error?: { readonly message?: unknown };
  };
  const said = detail ?? error?.message;
  if (said === undefined) return '';
  return `: ${(typeof said === 'string' ? said : JSON.stringify(said)).slice(0, 300)}`;
}

/** Seconds as milliseconds; dates are not read. */
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

/** The value that a schema describes. Throws a `Fault` that names the first place which is not as described, and its value. */
export function checkedReply<T>(schema: z.ZodType<T>, reply: unknown, place: string): T {
  const { success, data, error } = schema.safeParse(reply);
  if (success) return data;
  const { path, message } = error.issues[0]!;
  const value = path.reduce<unknown>((of, key) => (of as Record<PropertyKey, unknown> | null)?.[key], reply);
  const shown = (JSON.stringify(value) ?? 'nothing').slice(0, 100);
  throw new Fault(`${place}: ${path.join('.') || 'the answer'}: ${message}, got ${shown}`);
}
