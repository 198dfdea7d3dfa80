/** Texts of datasets as the policy reads and says them: a game's history and a command, or verbatim. */
import type { Policy } from '@emac/core';
import { postprocess } from '@emac/postprocess';
import { studentTarget } from '@emac/prompt';
import type { AnsweredPrompt } from '@emac/rollout';
import type { DatasetRecord } from './offline-dataset.ts';

/** Of a record its texts decide, or that they are read and said as they stand. */
type RecordForm = Pick<DatasetRecord, 'verbatim'>;

/** how every prompt ends */
export const promptEnd = '\n>';

const histories: Pick<AnsweredPrompt, 'target' | 'command'> = { target: studentTarget, command: postprocess };
const asTheyStand: typeof histories = { target: (output) => output, command: (answer) => answer.trim() };

/** How a record's outputs are said, and answers compared with them. */
export function outputTexts({ verbatim }: RecordForm): typeof histories {
  return verbatim ? asTheyStand : histories;
}

/** All that is to be read of a record. */
export function wholePrompt({
  text_input,
  verbatim,
}: RecordForm & Pick<DatasetRecord, 'text_input'>): string {
  return verbatim ? text_input : openPrompt(text_input);
}

/** A history with its open `>`. */
function openPrompt(text: string): string {
  const open = text.trimEnd();
  return open.endsWith(promptEnd) ? open : `${text}${promptEnd}`;
}

/** The least that a record's prompt can be shortened to: of a history what stands before its first step. */
export function shortestPrompt({ text_input, verbatim }: Parameters<typeof wholePrompt>[0]): string {
  if (verbatim) return text_input;
  const [opening = ''] = partsOf(openPrompt(text_input));
  return `${opening}${promptEnd}`;
}

/** What stands before the first step, and the steps. */
function partsOf(prompt: string): string[] {
  return prompt.slice(0, -promptEnd.length).split('\n> ');
}

/**
 * What the policy reads of a record: a history that ends with an open `>`, as while acting; one without gets it. Over `maxTokens` the
 * oldest steps go, what stands before the first step never does. A verbatim prompt stays as it is.
 */
export function datasetPrompt(
  record: Parameters<typeof wholePrompt>[0],
  maxTokens: number,
  { countPromptTokens }: Pick<Policy, 'countPromptTokens'>,
): string {
  const whole = wholePrompt(record);
  if (record.verbatim || countPromptTokens(whole) <= maxTokens) return whole;
  const [opening = '', ...steps] = partsOf(whole);
  while (steps.length > 0) {
    steps.shift();
    const shorter = `${[opening, ...steps].join('\n> ')}${promptEnd}`;
    if (countPromptTokens(shorter) <= maxTokens) return shorter;
  }
  return `${opening}${promptEnd}`;
}
