/** Refusals of request fields. */
import { EmacError } from '@emac/core';
import type { z } from 'zod';
import { RefusedRequest } from '../server/refusal.ts';

/** For a missing, wrong or unsupported field. */
export function wrongField(param: string | null, message: string): RefusedRequest {
  return new RefusedRequest({ status: 400, code: 'invalid_value', message, param });
}

/** Validates a body. Throws a `RefusedRequest` naming the first invalid field. */
export function checkedBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const issue = error.issues[0]!;
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const param = [...issue.path, ...(unknown === undefined ? [] : [unknown])].join('.').slice(0, 100);
  const what = unknown === undefined ? issue.message : 'is not supported by this server; leave it out';
  throw wrongField(param === '' ? null : param, `${param === '' ? 'body' : param}: ${what}`);
}

/** Turns `data` errors into refusals, for work whose `data` errors all concern a field and are written for clients. */
export function orWrongField<T>(param: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof EmacError && thrown.code === 'data') throw wrongField(param, thrown.message);
    throw thrown;
  }
}
