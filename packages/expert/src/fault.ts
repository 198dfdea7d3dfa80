/**
 * Faults of one attempt, by the reaction: retry, omit a field, or stop because the key was rejected, the request is
 * invalid, or the account is empty. Messages are redacted here, and causes are dropped: both may contain the key.
 */
import { messageOf } from '@emac/core';
import { APIError } from 'openai';

export interface Fault extends Error {
  readonly kind: 'retry' | 'auth' | 'refused-field' | 'filtered' | 'request' | 'quota';
  /** the server's requested delay, in milliseconds; null without one */
  readonly retryAfterMs: number | null;
}

/** A fault as an Error, for code that requires errors. */
export function fault(kind: Fault['kind'], message: string, retryAfterMs: number | null = null): Fault {
  return Object.assign(new Error(message), { kind, retryAfterMs });
}

/** True for results of `fault`. */
export function isFault(thrown: unknown): thrown is Fault {
  return thrown instanceof Error && 'kind' in thrown && 'retryAfterMs' in thrown;
}

export interface FaultContext {
  readonly redact: (text: string) => string;
  /** milliseconds since 1970, for `Retry-After` with a date */
  readonly now: () => number;
}

/** The fault behind an error of the OpenAI client. */
export function faultOf(thrown: unknown, { redact, now }: FaultContext): Fault {
  // the parser quotes a piece of the body, which may contain a piece of the key
  if (thrown instanceof SyntaxError) return fault('retry', 'the body is not JSON');
  const message = redact(messageChain(thrown));
  if (!(thrown instanceof APIError) || thrown.status === undefined) return fault('retry', message);
  const status: number = thrown.status;
  if (status === 401 || status === 403) return fault('auth', message);
  if (status === 429 && thrown.code === 'insufficient_quota') return fault('quota', message);
  if ([408, 409, 429].includes(status) || status >= 500)
    return fault('retry', message, retryAfterMs(thrown.headers, now()));
  if (status === 400 && thrown.code === 'content_filter') return fault('filtered', message);
  if (status === 400 || status === 422)
    return fault('refused-field', redact(`${message} ${thrown.param ?? ''}`));
  return fault('request', message);
}

function messageChain(thrown: unknown): string {
  const parts: string[] = [];
  for (let error = thrown; error != null && parts.length < 4; error = (error as { cause?: unknown }).cause)
    parts.push(messageOf(error) || String((error as { code?: unknown }).code ?? 'unknown error'));
  return parts.join(': ');
}

/** `retry-after-ms`, or `Retry-After` in seconds or as a date (RFC 9110 §10.2.3); null when absent or unreadable. */
export function retryAfterMs(headers: Headers | undefined, now: number): number | null {
  const milliseconds = number(headers?.get('retry-after-ms'));
  if (milliseconds !== null) return milliseconds;
  const value = headers?.get('retry-after');
  const seconds = number(value);
  if (seconds !== null) return seconds * 1000;
  const date = Date.parse(value ?? '');
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function number(text: string | null | undefined): number | null {
  return text && /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}
