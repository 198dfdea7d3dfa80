/** Sends a client's message until it is answered; every message may be repeated. */
import { cappedAnswer, EmacError, reasonOf } from '@emac/core';
import { timeLimit } from '../wire/time-limit.ts';

export interface Connection {
  /** such as `http://127.0.0.1:7860` */
  readonly url: string;
  /** sent as `Authorization: Bearer`; null for none */
  readonly token?: string | null;
  /** milliseconds to retry while nobody answers */
  readonly retryMs: number;
  readonly signal?: AbortSignal;
  /** waits; never rejects */
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly fetch?: typeof fetch;
}

const pauseMs = 500;

export interface Message {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Record<string, string>;
  readonly answerMs?: number;
}

/**
 * Posts a body. Retries after a failed connection, after `answerMs` without a whole answer (unlimited if absent), and if the
 * server is overloaded or shutting down. Errors: `unavailable` if nobody answers for `retryMs`, `interrupted`.
 */
export async function posted(
  { url, token, retryMs, signal, wait, fetch: send = fetch }: Connection,
  path: string,
  message: Message,
): Promise<Response> {
  const headers = { ...message.headers, ...(token && { authorization: `Bearer ${token}` }) };
  for (let tried = 0; ; tried += pauseMs) {
    if (signal?.aborted) throw new EmacError('interrupted', 'stopped on request');
    let why: string;
    const late = message.answerMs === undefined ? null : timeLimit(message.answerMs);
    const ends = [signal, late?.signal].filter((each) => each != null);
    try {
      const response = await send(new URL(path, url), {
        method: 'POST',
        body: message.body,
        headers,
        signal: AbortSignal.any(ends),
      });
      const { status, headers: given } = response;
      const answer = await cappedAnswer(response).arrayBuffer();
      // 408: the request on an open connection came too late
      if (status < 500 && status !== 408)
        return new Response(answer.byteLength > 0 ? answer : null, { status, headers: given });
      why = `status ${status}`;
    } catch (thrown) {
      why = reasonOf(thrown);
    } finally {
      late?.clear();
    }
    if (late?.signal.aborted) tried += message.answerMs!;
    if (tried >= retryMs && !signal?.aborted)
      throw new EmacError(
        'unavailable',
        `${url}: does not answer (${why}); start the run first, or give its address`,
      );
    await wait(pauseMs);
  }
}
