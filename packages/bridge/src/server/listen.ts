/**
 * An application on a port, safe among strangers: this machine alone unless a token or a list of addresses is given, every
 * request within limits, an end that lets requests under way finish. What holds for all servers holds here, not in the application.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EmacError } from '@emac/core';
import { getRequestListener } from '@hono/node-server';
import { admittedAddresses, isLoopback } from './addresses.ts';
import { notAdmitted, type Admission } from './admission.ts';
import { limitConnections } from './connections.ts';
import { defaultLimits, type ServerLimits } from './limits.ts';
import { heldBodies } from './received-body.ts';
import { internalFault, refused, type Refusal } from './refusal.ts';

export interface ListenOptions {
  /** answers a request whose body is wholly there; a Hono application's `fetch` */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** 0 for a free one */
  readonly port: number;
  /** an address of this machine; 127.0.0.1 without it */
  readonly host?: string;
  /** what clients must show as `Authorization: Bearer`; null for nothing */
  readonly token?: string | null;
  /** addresses and networks that may connect beside this machine, for clients that show no token */
  readonly allow?: readonly string[];
  /** names by which the server may be asked, beside localhost and addresses */
  readonly names?: readonly string[];
  readonly limits?: Partial<ServerLimits>;
  /** hears what `fetch` threw, of which the client is told nothing */
  readonly onFault?: (thrown: unknown) => void;
}

export interface Listening {
  /** such as `http://127.0.0.1:7860` */
  readonly address: string;
  readonly port: number;
  /** Takes no new requests, lets those under way finish as long as the limits allow, and closes. */
  drain(): Promise<void>;
  /** Closes at once, whatever is under way. */
  close(): Promise<void>;
}

/**
 * Serves. Errors: `usage` for an address that others can reach without token or `--allow`, `cannot-create` where the port is
 * taken or may not be used.
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host = '127.0.0.1', port } = options;
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
      errorHandler: () => refused(internalFault),
    }),
  );
  limitConnections(server, limits.connections);
  await listening(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  const close = () => closed(server, 0);
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    drain: () => {
      work.isDraining = true;
      return closed(server, limits.drainMs);
    },
    close,
  };
}

function admissionOf({ token = null, allow = [], names = [] }: ListenOptions, host: string): Admission {
  if (token === null && allow.length === 0 && !isLoopback(host))
    throw new EmacError(
      'usage',
      `--host ${host}: can be reached by others; name a file with a token in EMAC_TOKEN_FILE, or, for clients that send none, their addresses with --allow`,
    );
  const admits = allow.length === 0 ? null : admittedAddresses(allow);
  return { host, token, admits, names };
}

interface Serving {
  readonly admission: Admission;
  readonly limits: ServerLimits;
  readonly work: { count: number; isDraining: boolean };
}

function answering({ fetch, onFault = () => {} }: ListenOptions, { admission, limits, work }: Serving) {
  const bodies = heldBodies(limits);
  const answer = async (request: Request): Promise<Response> => {
    const received = await bodies.receive(request).catch(() => cutOff);
    if ('status' in received) return refused(received);
    try {
      return await fetch(received.request);
    } finally {
      received.release();
    }
  };
  const full = overloaded(limits);
  return async (request: Request, { incoming }: Arrived): Promise<Response> => {
    const address = incoming.socket.remoteAddress ?? null;
    const refusal = notAdmitted({ headers: request.headers, address }, admission);
    if (refusal) return refused(refusal);
    if (work.isDraining) return refused(closing);
    const isCounted = new URL(request.url).pathname !== '/healthz';
    if (isCounted && work.count >= limits.requests) return refused(full);
    if (isCounted) work.count++;
    try {
      return await answer(request);
    } catch (thrown) {
      onFault(thrown);
      return refused(internalFault);
    } finally {
      if (isCounted) work.count--;
    }
  };
}

interface Arrived {
  readonly incoming: { readonly socket: { readonly remoteAddress?: string | undefined } };
}

function overloaded({ requests, retryAfter }: ServerLimits): Refusal {
  return {
    status: 503,
    code: 'overloaded',
    message: `The server is at work on ${requests} requests, as many as it takes; ask again later.`,
    headers: { 'retry-after': String(retryAfter) },
  };
}

const cutOff: Refusal = {
  status: 400,
  code: 'body_cut_off',
  message: 'The body ended before it was whole.',
};

const closing: Refusal = {
  status: 503,
  code: 'closing',
  message: 'The server is about to end.',
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

/** Takes no more connections; those at work have `waitMs`, the others end now. */
async function closed(server: Server, waitMs: number): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  // a connection that has been answered would be kept for the next request
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), waitMs);
  await ended;
  clearInterval(idle);
  clearTimeout(cut);
}
