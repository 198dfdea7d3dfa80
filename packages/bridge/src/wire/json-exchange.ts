/** JSON requests of all our clients, and their refusals. */
import { EmacError } from '@emac/core';
import { posted, type Connection } from '../world/post.ts';
import { refusalSchema } from './schemas.ts';

/** Posts JSON; `answerMs` as for `posted`. Errors: those of `posted`. */
export function postedJson(
  connection: Connection,
  path: string,
  { body, answerMs }: { readonly body: object; readonly answerMs?: number },
): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return posted(connection, path, { body: JSON.stringify(body), headers, ...(answerMs && { answerMs }) });
}

/** Null for invalid JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The error for a refused request: `auth` for a missing or wrong token. */
export async function refusalIn(response: Response, url: string): Promise<EmacError> {
  const { data } = refusalSchema.safeParse(parsedJson(await response.text()));
  const why = data?.error.message ?? `it answers with status ${response.status}`;
  return new EmacError(codeOfStatus(response.status), `${url}: refused: ${why}`);
}

/** The error code for a status: `auth` for a missing or wrong token. */
export function codeOfStatus(status: number): 'auth' | 'data' | 'unavailable' {
  if (status === 401 || status === 403) return 'auth';
  return status >= 500 || status === 404 || status === 421 ? 'unavailable' : 'data';
}
