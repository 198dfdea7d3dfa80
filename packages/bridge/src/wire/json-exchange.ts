/** JSON over the wire, as all clients of ours send it and read what is refused. */
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

/** Null for what is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What a refused request means to whoever made it: `auth` for a token that is missing or wrong. */
export async function refusalIn(response: Response, url: string): Promise<EmacError> {
  const { data } = refusalSchema.safeParse(parsedJson(await response.text()));
  const why = data?.error.message ?? `it answers with status ${response.status}`;
  return new EmacError(codeOfStatus(response.status), `${url}: refused: ${why}`);
}

/** The code of an error by the status of an answer: `auth` for a token that is missing or wrong. */
export function codeOfStatus(status: number): 'auth' | 'data' | 'unavailable' {
  if (status === 401 || status === 403) return 'auth';
  return status >= 500 || status === 404 || status === 421 ? 'unavailable' : 'data';
}
