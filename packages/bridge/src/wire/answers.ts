/** Requests in JSON and their answers, as every route of version 2 takes and gives them. */
import { EmacError, messageOf } from '@emac/core';
import type { Context } from 'hono';
import type { z } from 'zod';
import { refused, type Refusal } from '../server/refusal.ts';
import { DeskError } from './desk-error.ts';

export const notFound: Refusal = {
  status: 404,
  code: 'not_found',
  message: 'There is nothing here; see /openapi.json.',
};

/** What was thrown, as an answer; faults of ours are left to whoever serves. */
export function refusalOf(thrown: Error): Response {
  if (thrown instanceof DeskError)
    return refused({ status: thrown.status, code: thrown.code, message: thrown.message });
  if (thrown instanceof EmacError && thrown.code === 'data')
    return refused({
      status: 422,
      code: 'unreadable_picture',
      message: messageOf(thrown),
      param: 'observation.picture',
    });
  throw thrown;
}

/** of version 2, whose pictures are compressed */
const mostBytes = 16 * 1024 * 1024;

/** The answer to what was said, or why it is none. */
export async function answerJson<T>(
  context: Context,
  schema: z.ZodType<T>,
  answer: (said: T) => Promise<object>,
): Promise<Response> {
  const type = context.req.header('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type))
    return refused({ status: 415, code: 'not_json', message: 'A body has to be sent as application/json.' });
  const bytes = await context.req.arrayBuffer();
  if (bytes.byteLength > mostBytes)
    return refused({ status: 413, code: 'body_too_large', message: `A body may have ${mostBytes} bytes.` });
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refused({ status: 400, code: 'bad_json', message: 'The body is not JSON.' });
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return context.json(await answer(parsed.data));
  const [issue] = parsed.error.issues;
  const param = issue!.path.join('.');
  const message = `${param || 'The body'}: ${issue!.message.slice(0, 300)}.`;
  return refused({ status: 422, code: 'invalid', message, param: param || null });
}
