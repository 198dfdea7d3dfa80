/**
 * Reflexion (Shinn et al. 2023): after a failed episode a language model writes down what to do differently, and the
 * lesson is shown in the next attempt's prompt. Departures: the question has its own system message (a published run
 * sent the actor's with it, and every reflection began with `think:`). An answer without a lesson is requested once
 * more, with more room, and then replaced by the scripted one, so every failure leaves a lesson. The caller handles the
 * model's faults.
 */
import type { ChatMessage, LanguageModel } from '@emac/core';
import { lessonOf } from './lesson.ts';
import { reflectionQuery, type ReflectionInput } from './reflection-query.ts';
import { scriptedReflection } from './scripted-reflection.ts';

export interface ReflectOptions extends ReflectionInput {
  readonly languageModel: LanguageModel;
  /** the expert's command at each turn, for the scripted lesson */
  readonly expertCommands?: readonly (string | null)[];
  /** longest answer, in tokens; default 256, as published */
  readonly maxTokens?: number;
}

const systemMessage =
  'You advise an agent that acts in a household told in text. You read what it did and why it failed, and you answer with one new plan in plain sentences on a single line: no list, no heading, no command to carry out now.';

/** reasoning models need room before they answer */
const roomOfSecondTry = 4;

/** A one-line lesson from a failed episode; rejects with the language model's errors. */
export async function reflect(options: ReflectOptions): Promise<string> {
  const { languageModel, maxTokens = 256 } = options;
  const query: readonly ChatMessage[] = [
    { role: 'system', content: systemMessage },
    { role: 'user', content: reflectionQuery(options) },
  ];
  for (const room of [maxTokens, maxTokens * roomOfSecondTry]) {
    const lesson = lessonOf(await languageModel.complete(query, { maxTokens: room }));
    if (lesson !== '') return lesson;
  }
  return scriptedReflection(options);
}
