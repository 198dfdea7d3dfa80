/**
 * Records of a collection in the forms that training tools share: the prompt as a message of the user, the label as the assistant's answer.
 * Where the environment writes its own messages (tools), those are the prompt, with the tools beside them; a call is an answer's `tool_calls`.
 */
import { isAsked, readAsked, type AskedMessage, type AskedMessages } from '@emac/core';
import { answerMessage } from '@emac/opening';
import type { PublishedRecord } from '../dataset/offline-dataset.ts';
import { wholePrompt } from '../dataset/offline-text.ts';

export const recordForms = ['published', 'messages', 'prompt-completion', 'preference'] as const;

export type RecordForm = (typeof recordForms)[number];

/** A record in a form; picture, type of task and game stay beside it. A preference needs `text_output_neg`. */
export function inForm(record: PublishedRecord, form: RecordForm): object {
  if (form === 'published') return record;
  const { image, task_type, game_id, text_output, text_output_neg } = record;
  const { messages: prompt, tools } = requestOf(record);
  const answer = (text: string): readonly AskedMessage[] =>
    tools ? [answerMessage(text)] : [{ role: 'assistant', content: text }];
  const beside = {
    ...(tools && { tools }),
    ...(image !== undefined && { image }),
    ...(task_type !== undefined && { task_type }),
    ...(game_id !== undefined && { game_id }),
  };
  if (form === 'messages') return { messages: [...prompt, ...answer(text_output)], ...beside };
  if (form === 'prompt-completion') return { prompt, completion: answer(text_output), ...beside };
  return { prompt, chosen: answer(text_output), rejected: answer(text_output_neg ?? ''), ...beside };
}

function requestOf(record: PublishedRecord): AskedMessages {
  const { text_input, verbatim } = record;
  if (verbatim && isAsked(text_input)) return readAsked(text_input);
  return { messages: [{ role: 'user', content: wholePrompt(record, {}) }] };
}
