/**
 * A question that is asked until its answer can be read: again and warmer where it cannot, as a teacher asks who finds no command in an
 * answer. What the service keeps back or the model refuses is not asked for again. A fault of the service is thrown and never becomes
 * an answer or a gap.
 */
import type { Label } from '@emac/core';
import {
  defaultTries,
  inSpiteOfFaults,
  keptBack,
  temperatureAfter,
  type AskedModel,
  type TryOptions,
} from './asked-again.ts';
import type { PicturedMessage } from './request.ts';

export interface Question<T> {
  readonly messages: readonly PicturedMessage[];
  /** what an answer says, or why it cannot be read */
  readonly read: (text: string) => { readonly value: T } | { readonly problem: string };
}

/** The last try's problem where none could be read. */
export type ReadAnswer<T> =
  { readonly kind: 'read'; readonly value: T } | Extract<Label, { readonly kind: 'unusable' }>;

/** Asks; rejects as the language model does. */
export async function readAnswer<T>(
  { messages, read }: Question<T>,
  { languageModel, ...options }: TryOptions & { readonly languageModel: AskedModel },
): Promise<ReadAnswer<T>> {
  const { maxTries = defaultTries } = options;
  let reason = 'it was not asked';
  for (let failed = 0; failed < maxTries; failed++) {
    const temperature = temperatureAfter(failed, options);
    const ask = () => languageModel.reply(messages, { temperature });
    const { text, end = 'stop' } = await inSpiteOfFaults(ask, options);
    if (end === 'filtered' || end === 'refused') return keptBack(end, text);
    const found = read(text);
    if ('value' in found) return { kind: 'read', value: found.value };
    reason = end === 'tool-call' ? 'the answer calls a tool' : found.problem;
  }
  return { kind: 'unusable', cause: 'no-command', reason: `after ${maxTries} tries: ${reason}` };
}
