/** The JSON body of a request. Bytes that are not UTF-8 are refused: replaced characters would change the text. */
import { RefusedRequest } from './refusal.ts';

/** Parses a body. Throws a `RefusedRequest` for another content type, too many bytes, or invalid JSON. */
export async function jsonOf(request: Request, mostBytes = Infinity): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new RefusedRequest({
      status: 415,
      code: 'not_json',
      message: 'The body must be JSON, sent as "Content-Type: application/json".',
    });
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > mostBytes)
    throw new RefusedRequest({
      status: 413,
      code: 'body_too_large',
      message: `A body may have at most ${mostBytes} bytes.`,
    });
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new RefusedRequest({ status: 400, code: 'bad_json', message: 'The body is not JSON in UTF-8.' });
  }
}
