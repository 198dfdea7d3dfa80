/**
 * A `fetch` that reads the whole body before it returns, up to a limit, under the caller's signal. The OpenAI client's
 * own timeout ends with the headers, so a stalled body would hang forever, and it reads bodies of any size. Redirects
 * are not followed: they would carry prompts to another host.
 */
import { cappedAnswer } from '@emac/core';

/** A `fetch` with responses of at most `maxBytes` of decoded body; rejects with an Error beyond that. */
export function cappedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = cappedAnswer(await fetch(input, { ...init, redirect: 'manual' }), maxBytes);
    const body = response.body && (await response.arrayBuffer());
    const { status, headers } = response;
    return new Response(body, { status, headers });
  };
}
