/** The meaning of a server's answer for a download: its status, and the offset of its body in the file. */
import { EmacError } from '@emac/core';
import { shownUrl } from './address.ts';
import { NetworkFault, type Response } from './connection.ts';

/** longest accepted retry delay of a server, in milliseconds */
const longestWaitMs = 60_000;

/** Throws for every status without a file: `missing`, `auth`, `unavailable`, or a `NetworkFault` worth a retry. */
export function requireFile({ status, header }: Response, url: string): void {
  if (status === 200 || status === 206) return;
  const place = shownUrl(url);
  if (status === 404 || status === 410)
    throw new EmacError(
      'missing',
      `${place}: does not exist (status ${status}); check the name or the address`,
    );
  if (status === 401 || status === 403)
    throw new EmacError(
      'auth',
      `${place}: does not exist or needs a key (status ${status}); check the name, or give a key`,
    );
  if (status === 407)
    throw new EmacError('auth', `${place}: the proxy needs a name and password; put them into HTTPS_PROXY`);
  if (status === 408 || status === 429 || status >= 500)
    throw new NetworkFault(`${place}: answers with status ${status}`, waitIn(header('retry-after')));
  throw new EmacError('unavailable', `${place}: answers with status ${status}; check the address`);
}

/** Seconds as milliseconds; dates are not supported. */
function waitIn(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter.trim())
    ? Math.min(Number(retryAfter) * 1000, longestWaitMs)
    : null;
}

export interface BodyPlace {
  /** offset of the body in the file */
  readonly start: number;
  /** bytes of the whole file; null if the server does not say */
  readonly total: number | null;
  /** whether the end of the body can be told from a broken connection */
  readonly hasEnd: boolean;
  /** identifies this content at its address, for `If-Range`; null if nothing does */
  readonly validator: string | null;
}

/** Errors: `NetworkFault` for an unreadable range. */
export function placeOf({ status, header }: Response, url: string): BodyPlace {
  const validator = validatorOf(header('etag'), header('last-modified'));
  const length = wholeNumber(header('content-length'));
  const hasEnd = length !== null || /\bchunked\b/i.test(header('transfer-encoding') ?? '');
  if (status === 200) return { start: 0, total: length, hasEnd, validator };
  const [, start, , total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(header('content-range') ?? '') ?? [];
  if (start === undefined)
    throw new NetworkFault(`${shownUrl(url)}: answers with a part, but does not say which`);
  return { start: Number(start), total: total === '*' ? null : Number(total), hasEnd, validator };
}

/** A weak ETag may stay the same while bytes change (RFC 9110 §8.8.1). */
function validatorOf(etag: string | null, modified: string | null): string | null {
  return etag !== null && etag.startsWith('"') ? etag : modified;
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
