/** A request that is wrong, wherever in it that is found. */
import { EmacError } from '@emac/core';
import type { z } from 'zod';
import type { Refusal } from '../server/refusal.ts';

export class RefusedRequest extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** A field that is missing, wrong or not supported. */
export function wrongField(param: string | null, message: string): RefusedRequest {
  return new RefusedRequest({ status: 400, code: 'invalid_value', message, param });
}

/** The value that a schema describes. Throws a `RefusedRequest` that names the first field which is not as described. */
export function checkedBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const issue = error.issues[0]!;
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const param = [...issue.path, ...(unknown === undefined ? [] : [unknown])].join('.').slice(0, 100);
  const what = unknown === undefined ? issue.message : 'is not supported by this server; leave it out';
  throw wrongField(param === '' ? null : param, `${param === '' ? 'body' : param}: ${what}`);
}

/** What an agent says of a request that it cannot be asked, as a refusal; other faults are ours. */
export function asRefusal(thrown: unknown): Refusal | null {
  if (thrown instanceof RefusedRequest) return thrown.refusal;
  const isTheirs = thrown instanceof EmacError && ['data', 'usage', 'unavailable'].includes(thrown.code);
  return isTheirs ? { status: 400, code: 'invalid_value', message: thrown.message } : null;
}

/** The JSON of a request. */
export async function jsonOf(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new RefusedRequest({
      status: 415,
      code: 'unsupported_content_type',
      message: 'The body must be JSON, sent as "Content-Type: application/json".',
    });
  try {
    return JSON.parse(await request.text());
  } catch {
    throw new RefusedRequest({ status: 400, code: 'invalid_json', message: 'The body is not JSON.' });
  }
}
