/** Texts of datasets as the student reads and says them. */
import type { Student } from '@emac/core';

const promptEnd = '\n>';

/**
 * A history that ends with an open `>`, as the student reads while acting; one without gets it. Over `maxTokens` the oldest steps
 * go, what stands before the first step never does.
 */
export function datasetPrompt(
  text: string,
  maxTokens: number,
  { countTextTokens }: Pick<Student, 'countTextTokens'>,
): string {
  const open = text.trimEnd();
  const whole = open.endsWith(promptEnd) ? open : `${text}${promptEnd}`;
  if (countTextTokens(whole) <= maxTokens) return whole;
  const [opening = '', ...steps] = whole.slice(0, -promptEnd.length).split('\n> ');
  while (steps.length > 0) {
    steps.shift();
    const shorter = `${[opening, ...steps].join('\n> ')}${promptEnd}`;
    if (countTextTokens(shorter) <= maxTokens) return shorter;
  }
  return `${opening}${promptEnd}`;
}
