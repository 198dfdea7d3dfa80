/** Texts of datasets as the policy reads and says them. */
import type { Policy } from '@emac/core';

/** how every prompt ends */
export const promptEnd = '\n>';

/** A history with its open `>`. */
export function openPrompt(text: string): string {
  const open = text.trimEnd();
  return open.endsWith(promptEnd) ? open : `${text}${promptEnd}`;
}

/** The least that a history can be shortened to: what stands before its first step. */
export function shortestPrompt(text: string): string {
  const [opening = ''] = partsOf(openPrompt(text));
  return `${opening}${promptEnd}`;
}

/** What stands before the first step, and the steps. */
function partsOf(prompt: string): string[] {
  return prompt.slice(0, -promptEnd.length).split('\n> ');
}

/**
 * A history that ends with an open `>`, as the policy reads while acting; one without gets it. Over `maxTokens` the oldest steps
 * go, what stands before the first step never does.
 */
export function datasetPrompt(
  text: string,
  maxTokens: number,
  { countPromptTokens }: Pick<Policy, 'countPromptTokens'>,
): string {
  const whole = openPrompt(text);
  if (countPromptTokens(whole) <= maxTokens) return whole;
  const [opening = '', ...steps] = partsOf(whole);
  while (steps.length > 0) {
    steps.shift();
    const shorter = `${[opening, ...steps].join('\n> ')}${promptEnd}`;
    if (countPromptTokens(shorter) <= maxTokens) return shorter;
  }
  return `${opening}${promptEnd}`;
}
