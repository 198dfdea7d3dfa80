/**
 * The token of a board's address. A request shows it as `Authorization: Bearer`. Addresses of pictures and of the stream of events
 * send no headers, so they hold a pass in its place, which is good for reading alone.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';

export const noToken = 'The token is missing or wrong. Open the address that emac board printed.';

/** The pass that belongs to a token. */
export function passOf(token: string): string {
  return createHash('sha256').update(`pass of ${token}`).digest('base64url');
}

export function showsToken(context: Context, token: string): boolean {
  const [, given] = /^Bearer (.+)$/.exec(context.req.header('authorization') ?? '') ?? [];
  return given !== undefined && isEqual(given, token);
}

/** Refuses to answer without the pass, or the token of readers or of those who may change something. */
export function readersOnly(readToken: string, changeToken: string | null): MiddlewareHandler {
  const pass = passOf(readToken);
  const tokens = [readToken, ...(changeToken === null ? [] : [changeToken])];
  return async (context, next) => {
    const given = context.req.query('pass');
    const isKnown = tokens.some((token) => showsToken(context, token));
    if (isKnown || (given !== undefined && isEqual(given, pass))) return next();
    return context.json({ error: noToken }, 401);
  };
}

/** In a time that does not depend on where they differ. */
function isEqual(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
