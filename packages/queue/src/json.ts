/**
 * Messages in a queue: small JSON as canonical text, so equal values are equal texts. Large data goes to a shared
 * folder under its content hash (`shared-folder.ts`); the message holds only the hash.
 */
import { EmacError } from '@emac/core';
import { canonicalJson } from '@emac/files';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** largest input or result, in bytes of UTF-8 */
export const largestMessage = 65_536;

/**
 * The canonical text of a value; `what` names it in errors. Errors: `internal` for values JSON cannot express, `usage`
 * for one that is too large.
 */
export function encodeJson(value: Json, what: string): string {
  const text = canonicalJson(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > largestMessage)
    throw new EmacError(
      'usage',
      `${what}: may have at most ${largestMessage} bytes of JSON, has ${bytes}; put large data into the shared folder and send its hash`,
    );
  return text;
}

/** Parses a text of `encodeJson`. Errors: `data` for anything else. */
export function decodeJson(text: string, what: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new EmacError('data', `${what}: must be JSON; the queue was changed by another program`, {
      cause,
    });
  }
}
