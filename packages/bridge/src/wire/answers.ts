/** JSON requests and answers, for every route of version 2. */
import { EmacError, messageOf } from '@emac/core';
import type { Context } from 'hono';
import type { z } from 'zod';
import { jsonOf } from '../server/json-body.ts';
import { refused, RefusedRequest, type Refusal } from '../server/refusal.ts';
import { DeskError } from './desk-error.ts';

export const notFound: Refusal = {
  status: 404,
  code: 'not_found',
  message: 'Not found; see /openapi.json.',
};

/**
 * An error as an answer; internal faults are left to the server. On routes with pictures, `data` is the picture's
 * fault.
 */
export function refusalOf(thrown: Error): Response {
  if (thrown instanceof EmacError && thrown.code === 'data')
    return refused({
      status: 422,
      code: 'unreadable_picture',
      message: messageOf(thrown),
      param: 'observation.picture',
    });
  if (thrown instanceof RefusedRequest) return refused(thrown.refusal);
  if (thrown instanceof DeskError)
    return refused({ status: thrown.status, code: thrown.code, message: thrown.message });
  throw thrown;
}

/** of version 2, with compressed pictures */
const mostBytes = 16 * 1024 * 1024;

/** The answer to a request, or its refusal. Errors: those of `jsonOf` and of `answer`. */
export async function answerJson<T>(
  context: Context,
  schema: z.ZodType<T>,
  answer: (said: T) => Promise<object>,
): Promise<Response> {
  const parsed = schema.safeParse(await jsonOf(context.req.raw, mostBytes));
  if (parsed.success) return context.json(await answer(parsed.data));
  const [issue] = parsed.error.issues;
  const param = issue!.path.join('.');
  const message = `${param || 'The body'}: ${issue!.message.slice(0, 300)}.`;
  return refused({ status: 422, code: 'invalid', message, param: param || null });
}
