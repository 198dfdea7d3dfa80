/**
 * One HTTP exchange. Redirects are followed here, so that none leads from https to http, to another scheme or in circles,
 * and a key goes only to its own host. Proxies come from the environment.
 */
import { EmacError, messageOf } from '@emac/core';
import { EnvHttpProxyAgent, request, type Dispatcher } from 'undici';
import { shownUrl, webAddress } from './address.ts';

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Connection {
  /** GETs an address. Errors: `NetworkFault`, worth a retry; `data`, `unavailable`, `interrupted`. */
  get(url: string, options?: GetOptions): Promise<Response>;
  close(): Promise<void>;
}

export interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface Response {
  readonly status: number;
  /** a header by its lower-case name; null if absent */
  readonly header: (name: string) => string | null;
  readonly body: AsyncIterable<Uint8Array>;
  /** Abandons the rest of the body. */
  readonly discard: () => void;
}

/** A failure that a retry may fix. */
export class NetworkFault extends Error {
  /** the server's requested delay, in milliseconds; null without one */
  readonly waitMs: number | null;

  constructor(message: string, waitMs: number | null = null) {
    super(message);
    this.waitMs = waitMs;
  }
}

const mostRedirects = 8;

/**
 * Connections through HTTPS_PROXY, HTTP_PROXY and NO_PROXY, upper or lower case, if set in `env`. `idleMs`: silence
 * after which an exchange counts as broken, default 30 s.
 */
export function openConnection(env: Environment, { idleMs = 30_000 } = {}): Connection {
  const agent = new EnvHttpProxyAgent({
    ...proxiesIn(env),
    connect: { timeout: idleMs },
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
  });
  return {
    get: (url, options = {}) => follow(agent, url, options),
    close: () => agent.destroy(),
  };
}

/** Proxies of the environment; an empty address is none. */
export function proxiesIn(env: Environment) {
  return {
    httpProxy: env['http_proxy'] ?? env['HTTP_PROXY'] ?? '',
    httpsProxy: env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '',
    noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '',
  };
}

async function follow(
  dispatcher: Dispatcher,
  first: string,
  { headers = {}, signal }: GetOptions,
): Promise<Response> {
  let url = webAddress(first);
  for (let hops = 0; hops <= mostRedirects; hops++) {
    const isElsewhere = url.origin !== webAddress(first).origin;
    const response = await exchange(dispatcher, url, {
      headers: isElsewhere ? withoutKey(headers) : headers,
      signal,
    });
    const target = response.header('location');
    if (![301, 302, 303, 307, 308].includes(response.status) || target === null) return response;
    response.discard();
    const next = webAddress(target, url);
    if (url.protocol === 'https:' && next.protocol !== 'https:')
      throw new EmacError(
        'data',
        `${shownUrl(url)}: redirects to ${shownUrl(next)}, which is not encrypted; give another address`,
      );
    url = next;
  }
  throw new EmacError(
    'data',
    `${shownUrl(webAddress(first))}: redirects more than ${mostRedirects} times, perhaps in circles; give another address`,
  );
}

function withoutKey(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'authorization'));
}

async function exchange(
  dispatcher: Dispatcher,
  url: URL,
  { headers, signal }: GetOptions,
): Promise<Response> {
  try {
    const response = await request(url, {
      dispatcher,
      headers: { 'accept-encoding': 'identity', 'user-agent': 'emac', ...headers },
      signal: signal ?? null,
    });
    // an abandoned body fails with nobody listening
    response.body.on('error', () => {});
    return {
      status: response.statusCode,
      header: (name) => [response.headers[name]].flat()[0] ?? null,
      body: chunks(response.body, url, signal),
      discard: () => void response.body.destroy(),
    };
  } catch (thrown) {
    throw networkFault(thrown, url, signal);
  }
}

async function* chunks(
  body: AsyncIterable<Uint8Array>,
  url: URL,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const each = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await each.next().catch((thrown: unknown) => {
        throw networkFault(thrown, url, signal);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await each.return?.();
  }
}

/** Unknown host names stay unknown after a second; all other failures may be temporary. */
function networkFault(thrown: unknown, url: URL, signal: AbortSignal | undefined): Error {
  if (signal?.aborted) return new EmacError('interrupted', `${shownUrl(url)}: stopped on request`);
  const code = codeOf(thrown);
  const advice = 'check the network, or set HTTPS_PROXY where a proxy is needed';
  if (code === 'ENOTFOUND')
    return new EmacError('unavailable', `cannot reach ${url.host} (no such host, or no network); ${advice}`);
  return new NetworkFault(
    `${url.host}: ${code === '' ? messageOf(thrown) : `${messageOf(thrown)} (${code})`}`,
  );
}

function codeOf(thrown: unknown): string {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code === 'string') return code;
    // several addresses of one host were tried
    if (error instanceof AggregateError) return codeOf(error.errors[0]);
  }
  return '';
}
