/**
 * Serves an application on a port, safely for untrusted clients: this machine only unless a token or an allow list is
 * given, every request within limits, and a drain that lets open requests finish. Rules for all servers are here, not
 * in the application.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EmacError, isLoopback, withoutBrackets } from '@emac/core';
import { getRequestListener, RequestError } from '@hono/node-server';
import { oneOf } from './addresses.ts';
import { notAdmitted, type Admission } from './admission.ts';
import { answerClientErrors } from './client-errors.ts';
import { limitConnections, type Connections } from './connections.ts';
import { defaultLimits, type ServerLimits } from './limits.ts';
import { heldBodies } from './received-body.ts';
import { internalFault, refused, type Refusal, type RefusedHere } from './refusal.ts';
import { acceptSockets, type OpenConversation } from './sockets.ts';

export interface ListenOptions {
  /** answers a request with its complete body; a Hono application's `fetch` */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** WebSockets by their path: opens a conversation on each; absent: there are none */
  readonly sockets?: Readonly<Record<string, OpenConversation>>;
  /** 0 for a free one */
  readonly port: number;
  /** an address of this machine; default 127.0.0.1 */
  readonly host?: string;
  /** required in `Authorization: Bearer`; null for none */
  readonly token?: string | null;
  /** addresses and networks admitted without a token; without a token, only these and this machine may connect */
  readonly allow?: readonly string[];
  readonly limits?: Partial<ServerLimits>;
  /** called with faults of `fetch`, which clients do not see */
  readonly onFault?: (thrown: unknown) => void;
  /** called for every request the server refuses itself, without calling `fetch` */
  readonly onRefused?: (request: RefusedHere) => void;
}

export interface Listening {
  /** its URL on this machine, such as `http://127.0.0.1:7860` */
  readonly address: string;
  readonly port: number;
  /** Takes no new requests, lets open ones finish within the limits, and closes. */
  drain(): Promise<void>;
  /** Closes at once, with all open requests. */
  close(): Promise<void>;
}

/**
 * Serves. Errors: `usage` for a public address without token or `--allow`, `cannot-create` if the port is taken or
 * forbidden.
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { port, onFault = () => {}, onRefused = () => {} } = options;
  const host = withoutBrackets(options.host ?? '127.0.0.1');
  const limits = { ...defaultLimits, ...options.limits };
  const admission = admissionOf(options, host);
  const work = { count: 0, isDraining: false };
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize: limits.headerBytes,
    },
    getRequestListener(answering(options, { admission, limits, work }), {
      overrideGlobalObjects: false,
      errorHandler: (thrown) => {
        if (!(thrown instanceof RequestError)) onFault(thrown);
        const refusal = thrown instanceof RequestError ? misaddressed : internalFault;
        onRefused({ path: null, status: refusal.status });
        return refused(refusal);
      },
    }),
  );
  answerClientErrors(server, ({ status }) => onRefused({ path: null, status }));
  const connections = limitConnections(server, limits.connections);
  const sockets = acceptSockets(server, {
    paths: options.sockets ?? {},
    limits,
    refusalOf: (asking) => notAdmitted(asking, admission) ?? (work.isDraining ? closing : null),
    onFault,
    onRefused,
  });
  await listening(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  const close = async (waitMs: number): Promise<void> => {
    await Promise.all([sockets.close(waitMs), closed(server, { connections, waitMs })]);
  };
  return {
    address: `http://${askedAt(host)}:${bound}`,
    port: bound,
    drain: () => {
      work.isDraining = true;
      return close(limits.drainMs);
    },
    close: () => {
      work.isDraining = true;
      return close(0);
    },
  };
}

/** `host` for use in a URL. A wildcard host becomes a concrete address. */
function askedAt(host: string): string {
  const here = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return here.includes(':') ? `[${here}]` : here;
}

function admissionOf({ token = null, allow = [] }: ListenOptions, host: string): Admission {
  if (token === null && allow.length === 0 && !isLoopback(host))
    throw new EmacError(
      'usage',
      `--host ${host}: is reachable from other machines; name a file with a token in EMAC_TOKEN_FILE, or, for clients without a token, their addresses with --allow`,
    );
  return { host, token, allows: allow.length === 0 ? null : oneOf(allow) };
}

interface Serving {
  readonly admission: Admission;
  readonly limits: ServerLimits;
  readonly work: { count: number; isDraining: boolean };
}

function answering(options: ListenOptions, { admission, limits, work }: Serving) {
  const { fetch, onFault = () => {}, onRefused = () => {} } = options;
  const bodies = heldBodies(limits);
  const full = overloaded(limits);
  const isFull = () => work.count >= limits.requests;
  const counted = async (request: Request): Promise<Response> => {
    work.count++;
    try {
      return await fetch(request);
    } finally {
      work.count--;
    }
  };
  /** A request counts once it is complete: an incomplete one would block others. */
  const answer = async (request: Request): Promise<Response | Refusal> => {
    if (isFull()) return full;
    const received = await bodies.receive(request).catch(() => cutOff);
    if ('code' in received) return received;
    try {
      return isFull() ? full : await counted(received.request);
    } finally {
      received.release();
    }
  };
  return async (request: Request, { incoming }: Arrived): Promise<Response> => {
    const { socket } = incoming;
    const path = new URL(request.url).pathname;
    const address = socket.remoteAddress ?? null;
    const tell = (refusal: Refusal): Response => {
      // no report if the connection is gone
      if (!socket.destroyed) onRefused({ path, status: refusal.status });
      return refused(refusal);
    };
    const refusal = notAdmitted({ headers: request.headers, address }, admission);
    if (refusal) return tell(refusal);
    if (work.isDraining) return tell(closing);
    try {
      const answered = await (isAboutHealth(request, path) ? fetch(request) : answer(request));
      return 'code' in answered ? tell(answered) : answered;
    } catch (thrown) {
      // a client that left is no fault; its signal's reason comes back as it is
      const { aborted, reason } = request.signal;
      if (!aborted || thrown !== reason) onFault(thrown);
      return tell(internalFault);
    }
  };
}

/** It is answered under any load, so it must not cause work: its body is ignored. */
function isAboutHealth({ method }: Request, path: string): boolean {
  return ['/healthz', '/health'].includes(path) && (method === 'GET' || method === 'HEAD');
}

interface Arrived {
  readonly incoming: {
    readonly socket: { readonly remoteAddress?: string | undefined; readonly destroyed: boolean };
  };
}

const misaddressed: Refusal = {
  status: 400,
  code: 'misaddressed',
  message: 'The requested address or the Host header is missing or malformed.',
};

function overloaded({ requests, retryAfter }: ServerLimits): Refusal {
  return {
    status: 503,
    code: 'overloaded',
    message: `The server is working on ${requests} requests, its maximum; try again later.`,
    headers: { 'retry-after': String(retryAfter) },
  };
}

const cutOff: Refusal = {
  status: 400,
  code: 'body_cut_off',
  message: 'The body ended early.',
};

const closing: Refusal = {
  status: 503,
  code: 'closing',
  message: 'The server is shutting down.',
  headers: { connection: 'close' },
};

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new EmacError(
          'cannot-create',
          `${host}, port ${port}: cannot be served on (${cause.code}); give another --port, or 0 for a free one`,
          { cause },
        ),
      ),
    );
    server.listen({ host, port }, resolve);
  });
}

interface Closing {
  readonly connections: Connections;
  /** milliseconds */
  readonly waitMs: number;
}

/** Takes no more connections; busy ones have `waitMs`, idle ones end now. */
async function closed(server: Server, { connections, waitMs }: Closing): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.closeIdle();
  // an answered connection would otherwise stay open for its next request
  const idle = setInterval(() => connections.closeIdle(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), waitMs);
  await ended;
  clearInterval(idle);
  clearTimeout(cut);
}
