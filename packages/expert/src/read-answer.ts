/**
 * Asks a question until its answer is readable: unreadable answers are retried at a higher temperature. Answers withheld by the service
 * or refused by the model are not retried. A service fault is thrown and never becomes an answer or a gap.
 */
import type { Label } from '@emac/core';
import {
  defaultTries,
  inSpiteOfFaults,
  keptBack,
  temperatureAfter,
  unreadableEnds,
  type AskedModel,
  type TryOptions,
} from './asked-again.ts';
import type { AskedTool, PicturedMessage } from './request.ts';

export interface Question<T> {
  readonly messages: readonly PicturedMessage[];
  /** asked to be called; answers are then its arguments */
  readonly tool?: AskedTool;
  /** parses an answer, or returns why it is unreadable; one that was cut may name something else than it would have */
  readonly read: (
    text: string,
    answer: { readonly isCut: boolean },
  ) => { readonly value: T } | { readonly problem: string };
}

/** The last problem if no answer was readable. */
export type ReadAnswer<T> =
  { readonly kind: 'read'; readonly value: T } | Extract<Label, { readonly kind: 'unusable' }>;

/** Asks; rejects like the language model. */
export async function readAnswer<T>(
  { messages, tool, read }: Question<T>,
  { languageModel, ...options }: TryOptions & { readonly languageModel: AskedModel },
): Promise<ReadAnswer<T>> {
  const { maxTries = defaultTries } = options;
  let reason = 'the model was not asked';
  for (let failed = 0; failed < maxTries; failed++) {
    const temperature = temperatureAfter(failed, options);
    const ask = () => languageModel.reply(messages, { temperature, ...(tool && { tool }) });
    const { text, end = 'stop' } = await inSpiteOfFaults(ask, options);
    if (end === 'filtered' || end === 'refused') return keptBack(end, text);
    const found = read(text, { isCut: end === 'length' });
    if ('value' in found) return { kind: 'read', value: found.value };
    reason = unreadableEnds[end] ?? found.problem;
  }
  return { kind: 'unusable', cause: 'no-command', reason: `after ${maxTries} tries: ${reason}` };
}
