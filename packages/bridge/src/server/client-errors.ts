/**
 * Answers broken requests: headers too large or too slow, an incomplete request, bytes that are not HTTP. Node would
 * send a bare status; here they are answered and counted like every other refusal.
 */
import { STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { refusalBody, type Refusal } from './refusal.ts';

/** Answers and closes; calls `onRefused` for each. */
export function answerClientErrors(server: Server, onRefused: (refusal: Refusal) => void): void {
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket & Answering) => {
    const refusal = refusals[code ?? ''] ?? noHttp;
    // the client is gone, or an answer has begun
    const isAnswerable = socket.writable && code !== 'ECONNRESET' && !socket._httpMessage?._headerSent;
    if (isAnswerable) {
      socket.write(written(refusal));
      onRefused(refusal);
    }
    socket.destroy();
  });
}

/** Node's own field: the answer in progress on a connection. */
interface Answering {
  readonly _httpMessage?: { readonly _headerSent?: boolean } | null;
}

const refusals: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'too_slow',
    message: 'The request did not arrive in time; send it again.',
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    message: 'The headers of the request are too large.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'body_too_large',
    message: 'The extensions of a chunk of the body are too large.',
  },
};

const noHttp: Refusal = { status: 400, code: 'no_http', message: 'This is not an HTTP request.' };

/** A refusal as bytes for a connection without a response object. */
export function written(refusal: Refusal): string {
  const body = JSON.stringify(refusalBody(refusal));
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Content-Type: application/json',
    ...Object.entries(refusal.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
