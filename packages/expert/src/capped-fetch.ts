/**
 * A `fetch` that reads the whole body before it returns, up to a limit, under the caller's signal. The OpenAI client's
 * own timeout ends with the headers, so a stalled body would hang forever, and it reads bodies of any size. Redirects
 * are not followed: they would carry prompts to another host.
 */

/** A `fetch` with responses of at most `maxBytes` of decoded body; rejects with an Error beyond that. */
export function cappedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    const body = response.body ? await readCapped(response.body, maxBytes) : null;
    const { status, headers } = response;
    return new Response(body, { status, headers });
  };
}

async function readCapped(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // leaving the loop early cancels the stream and closes the connection
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`the response body is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return joined(chunks, length);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
