/** A dataset's prompts and outputs: a game's history and a command, or verbatim. */
import type { Policy } from '@emac/core';
import { postprocess } from '@emac/postprocess';
import { studentTarget } from '@emac/prompt';
import type { AnsweredPrompt } from '@emac/rollout';
import type { DatasetRecord } from './offline-dataset.ts';

/** The fields that decide how a record's texts are used. */
type RecordForm = Pick<DatasetRecord, 'verbatim'>;

/** how every prompt ends */
export const promptEnd = '\n>';

const histories: Pick<AnsweredPrompt, 'target' | 'command'> = { target: studentTarget, command: postprocess };
const asTheyStand: typeof histories = { target: (output) => output, command: (answer) => answer.trim() };

/** How a record's outputs are written, and compared with answers. */
export function outputTexts({ verbatim }: RecordForm): typeof histories {
  return verbatim ? asTheyStand : histories;
}

/** A record's complete prompt. */
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

/** A record's shortest possible prompt: for a history the part before its first step. */
export function shortestPrompt({ text_input, verbatim }: Parameters<typeof wholePrompt>[0]): string {
  if (verbatim) return text_input;
  const [opening = ''] = partsOf(openPrompt(text_input));
  return `${opening}${promptEnd}`;
}

/** Splits off the part before the first step, and the steps. */
function partsOf(prompt: string): string[] {
  return prompt.slice(0, -promptEnd.length).split('\n> ');
}

/**
 * A record's prompt: a history that ends with an open `>`, as while acting; it is added if missing. Over `maxTokens` the oldest steps
 * are dropped, never the part before the first step. A verbatim prompt is unchanged.
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
