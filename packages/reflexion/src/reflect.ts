/**
 * Reflexion (Shinn et al. 2023): after a failed episode a language model writes down what to do differently, and the
 * lesson stands in the next attempt's prompt.
 * Departure: an answer without a lesson is asked for once more and then replaced by the scripted one, so that every
 * failure leaves a lesson; faults of the model are the caller's.
 */
import type { LanguageModel } from '@emac/core';
import { lessonOf } from './lesson.ts';
import { reflectionQuery, type ReflectionInput } from './reflection-query.ts';
import { scriptedReflection } from './scripted-reflection.ts';

export interface ReflectOptions extends ReflectionInput {
  readonly languageModel: LanguageModel;
  /** what the expert would have done at each turn, for the scripted lesson */
  readonly expertCommands?: readonly (string | null)[];
  /** how often to ask; default 2 */
  readonly tries?: number;
  /** longest answer, in tokens; default 1024, as models that reason need room before they answer */
  readonly maxTokens?: number;
}

/** A one-line lesson from a failed episode; rejects with whatever the language model throws. */
export async function reflect(options: ReflectOptions): Promise<string> {
  const { languageModel, tries = 2, maxTokens = 1024 } = options;
  const query = [{ role: 'user', content: reflectionQuery(options) }] as const;
  for (let asked = 0; asked < tries; asked++) {
    const lesson = lessonOf(await languageModel.complete(query, { maxTokens }));
    if (lesson !== '') return lesson;
  }
  return scriptedReflection(options);
}
