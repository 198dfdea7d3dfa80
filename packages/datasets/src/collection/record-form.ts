/** Records of a collection in the forms that training tools share: the prompt as a message of the user, the label as the assistant's answer. */
import type { PublishedRecord } from '../dataset/offline-dataset.ts';
import { wholePrompt } from '../dataset/offline-text.ts';

export const recordForms = ['published', 'messages', 'prompt-completion', 'preference'] as const;

export type RecordForm = (typeof recordForms)[number];

/** A record in a form; picture, type of task and game stay beside it. A preference needs `text_output_neg`. */
export function inForm(record: PublishedRecord, form: RecordForm): object {
  if (form === 'published') return record;
  const { image, task_type, game_id, text_output, text_output_neg } = record;
  const prompt = [{ role: 'user', content: wholePrompt(record, {}) }];
  const answer = (content: string) => [{ role: 'assistant', content }];
  const beside = {
    ...(image !== undefined && { image }),
    ...(task_type !== undefined && { task_type }),
    ...(game_id !== undefined && { game_id }),
  };
  if (form === 'messages') return { messages: [...prompt, ...answer(text_output)], ...beside };
  if (form === 'prompt-completion') return { prompt, completion: answer(text_output), ...beside };
  return { prompt, chosen: answer(text_output), rejected: answer(text_output_neg ?? ''), ...beside };
}
