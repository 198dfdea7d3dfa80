/**
 * What a player writes who sees right: the JSON that the prompt asks for, on one line, with short thoughts. It is what a vision-language
 * model is taught from scripted play. Thoughts say what is seen and, unless they stop there, what follows from it.
 */

/** What a player sees and makes of it. */
export interface Look {
  /** what the prompt asks for before the thoughts, in its order */
  readonly fields: Readonly<Record<string, string | readonly number[]>>;
  /** what is seen, in a few words */
  readonly seen: string;
  /** what a good player concludes; the action follows from it alone */
  readonly conclusion: string;
}

export interface AnswerOptions {
  /** thoughts end with what follows from what is seen; default true */
  readonly concludes?: boolean;
  /** the action alone, as `PromptOptions.actionOnly` asks; default false */
  readonly actionOnly?: boolean;
}

/** The answer that takes an action, given as its word. */
export function answerText(
  { fields, seen, conclusion }: Look,
  action: string,
  { concludes = true, actionOnly = false }: AnswerOptions = {},
): string {
  const thoughts = concludes ? `${seen}; ${conclusion}` : seen;
  const entries = Object.entries({ ...(!actionOnly && { ...fields, thoughts }), action });
  return `{${entries.map(([key, value]) => `"${key}": ${written(value)}`).join(', ')}}`;
}

function written(value: string | readonly number[]): string {
  return typeof value === 'string' ? JSON.stringify(value) : `[${value.join(', ')}]`;
}
