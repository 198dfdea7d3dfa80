/** Shared by all teachers that use a language model: failed calls are retried, and each further attempt is warmer. */
import { EmacError, type Label } from '@emac/core';
import type { CompletionOptions } from './language-model.ts';
import type { PicturedMessage } from './request.ts';
import type { Reply, ReplyEnd } from './response.ts';

/** A language model that reports how its reply ended. */
export interface AskedModel {
  reply(
    messages: readonly PicturedMessage[],
    options?: CompletionOptions,
  ): Promise<Pick<Reply, 'text'> & Partial<Pick<Reply, 'end'>>>;
}

export interface TryOptions {
  /** attempts at a usable answer; default 6 */
  readonly maxTries?: number;
  /** of the first attempt, default 0; each further one adds `temperatureStep`, default 0.2 */
  readonly temperature?: number;
  readonly temperatureStep?: number;
  /** failed calls for one answer before the error is thrown; default 3 */
  readonly maxFailedCalls?: number;
}

export const defaultTries = 6;

/** Retries a failed call; the model's circuit breaker stops this when the service is down. */
export async function inSpiteOfFaults<T>(
  call: () => Promise<T>,
  { maxFailedCalls = 3 }: Pick<TryOptions, 'maxFailedCalls'>,
): Promise<T> {
  for (let calls = 1; ; calls++)
    try {
      return await call();
    } catch (thrown) {
      const isFailedCall = thrown instanceof EmacError && thrown.code === 'unavailable';
      if (!isFailedCall || calls >= maxFailedCalls) throw thrown;
    }
}

/** The temperature after this many unusable answers. */
export function temperatureAfter(
  failed: number,
  { temperature = 0, temperatureStep = 0.2 }: Pick<TryOptions, 'temperature' | 'temperatureStep'>,
): number {
  // rounded, so requests contain 0.6 and not 0.6000000000000001
  return Math.round((temperature + failed * temperatureStep) * 100) / 100;
}

/** Why an answer could not be used, if its end says so. */
export const unreadableEnds: Readonly<Partial<Record<ReplyEnd, string>>> = {
  length: 'the answer was cut at its longest length (--expert-answer-tokens)',
  'tool-call': 'the answer calls a tool',
};

/** The label of an answer that is not retried. */
export function keptBack(
  cause: 'filtered' | 'refused',
  text: string,
): Extract<Label, { readonly kind: 'unusable' }> {
  const who = cause === 'filtered' ? 'the service withheld the answer' : 'the model refused';
  const said = text.replace(/\s+/g, ' ').trim();
  return { kind: 'unusable', cause, reason: said === '' ? who : `${who}: ${said.slice(0, 80)}` };
}
