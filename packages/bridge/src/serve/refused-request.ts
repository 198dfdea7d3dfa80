/** What is wrong with the fields of a request. */
import { EmacError } from '@emac/core';
import type { z } from 'zod';
import { RefusedRequest } from '../server/refusal.ts';

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

/** Does what has no other `data` errors than those of a field: they are the client's, and their messages are written for it. */
export function orWrongField<T>(param: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof EmacError && thrown.code === 'data') throw wrongField(param, thrown.message);
    throw thrown;
  }
}
