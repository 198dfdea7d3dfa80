/** The JSON of a request. Bytes that are no UTF-8 are refused: a text with replaced characters is not what was sent. */
import { RefusedRequest } from './refusal.ts';

/** The value in a body. Throws a `RefusedRequest` for another content type, too many bytes, and what is no JSON. */
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
      message: `A body may have ${mostBytes} bytes.`,
    });
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new RefusedRequest({ status: 400, code: 'bad_json', message: 'The body is not JSON in UTF-8.' });
  }
}
