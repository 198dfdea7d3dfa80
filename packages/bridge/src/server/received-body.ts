/** Receives a request with its whole body, within bounds: of one body, and of all bodies in memory. */
import type { ServerLimits } from './limits.ts';
import type { Refusal } from './refusal.ts';

export interface HeldBodies {
  /** The request with its body in memory, or a refusal; call `release` after answering. */
  receive(request: Request): Promise<{ readonly request: Request; release(): void } | Refusal>;
}

type Bounds = Pick<ServerLimits, 'bodyBytes' | 'heldBytes' | 'retryAfter'>;

/** Counts the bytes open requests hold; bytes not yet received do not count. */
export function heldBodies(limits: Bounds): HeldBodies {
  const { bodyBytes, heldBytes, retryAfter } = limits;
  let held = 0;
  const tooLarge: Refusal = {
    status: 413,
    code: 'body_too_large',
    message: `The body of a request may have ${bodyBytes} bytes.`,
    headers: { connection: 'close' },
  };
  const tooMany: Refusal = {
    status: 503,
    code: 'overloaded',
    message: 'The server holds its maximum of requests; try again later.',
    headers: { 'retry-after': String(retryAfter), connection: 'close' },
  };
  return {
    async receive(request) {
      if (Number(request.headers.get('content-length') ?? 0) > bodyBytes) return tooLarge;
      if (request.body === null) return { request, release: () => {} };
      const chunks: Uint8Array[] = [];
      let size = 0;
      const release = (): void => {
        held -= size;
        size = 0;
      };
      try {
        for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
          size += chunk.byteLength;
          held += chunk.byteLength;
          if (size <= bodyBytes && held <= heldBytes) chunks.push(chunk);
          else {
            const refusal = size > bodyBytes ? tooLarge : tooMany;
            release();
            return refusal;
          }
        }
      } catch (thrown) {
        release();
        throw thrown;
      }
      return { request: withBody(request, Buffer.concat(chunks)), release };
    },
  };
}

function withBody({ url, method, headers, signal }: Request, body: Uint8Array<ArrayBuffer>): Request {
  return new Request(url, { method, headers, signal, body });
}
