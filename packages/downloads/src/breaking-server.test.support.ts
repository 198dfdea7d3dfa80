/** A real HTTP server that serves one content and breaks in a different way on every request. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** The server's handling of one request. */
export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

export interface Served {
  readonly url: string;
  /** all requests, in order */
  readonly requests: IncomingMessage[];
  /** Breaks connections whose cut the client has reached with this many bytes. */
  reached(done: number): void;
  close(): Promise<void>;
}

/** Answers requests in the order of the list; the last answer repeats. */
export async function serve(answers: readonly Answering[]): Promise<Served> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)]!;
    requests.push(request);
    answer(request, response);
  });
  const address = await listen(server);
  return {
    url: `${address}/file`,
    requests,
    reached(done) {
      for (const each of cuts.filter(({ at }) => at === done)) each.socket.destroy();
    },
    close: () => closed(server),
  };
}

export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Bytes that are the same in every run. */
export function bytesOf(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let place = 0; place < length; place++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[place] = state >>> 24;
  }
  return bytes;
}

export interface Serving {
  readonly etag?: string;
  /** bytes of the body after which the connection breaks, once they have arrived */
  readonly cutAfter?: number;
  readonly ignoresRange?: boolean;
  readonly chunked?: boolean;
  /** only the end of the connection ends the body */
  readonly untilClose?: boolean;
}

/** Bytes in flight are lost with a connection, so it is cut only when the client reports that it has the bytes. */
const cuts: { readonly at: number; readonly socket: Socket }[] = [];

/** The content, served correctly by default. */
export function content(bytes: Buffer, serving: Serving = {}): Answering {
  const { etag = '"one"', cutAfter, ignoresRange = false, chunked = false, untilClose = false } = serving;
  return (request, response) => {
    const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
    const isSame = request.headers['if-range'] === undefined || request.headers['if-range'] === etag;
    const start = from !== undefined && isSame && !ignoresRange ? Number(from) : 0;
    if (start >= bytes.length && start > 0) {
      response.writeHead(416, { 'content-range': `bytes */${bytes.length}`, 'content-length': 0 }).end();
      return;
    }
    const body = bytes.subarray(start);
    const part = start > 0 ? { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {};
    const length = chunked || untilClose ? {} : { 'content-length': body.length };
    if (untilClose) {
      response.useChunkedEncodingByDefault = false;
      response.shouldKeepAlive = false;
    }
    response.writeHead(start > 0 ? 206 : 200, { ...(etag !== '' && { etag }), ...part, ...length });
    response.flushHeaders();
    if (cutAfter === undefined || cutAfter >= body.length) response.end(body);
    else if (cutAfter === 0) response.socket!.destroy();
    else {
      cuts.push({ at: start + cutAfter, socket: response.socket! });
      response.write(body.subarray(0, cutAfter));
    }
  };
}

/** An answer without content. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}): Answering {
  return (_request, response) => {
    response.writeHead(code, { 'content-length': 0, ...headers }).end();
  };
}

/** A port without a listener. */
export async function deadPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
