/**
 * A perfect player's answer: the JSON requested by the prompt, on one line, with short thoughts. Vision-language models
 * learn it from scripted play. Thoughts name the visible facts and, unless they stop there, the conclusion.
 */

/** A player's observations and conclusion. */
export interface Look {
  /** the fields before the thoughts, in the prompt's order */
  readonly fields: Readonly<Record<string, string | readonly number[]>>;
  /** the visible facts, in a few words */
  readonly seen: string;
  /** a good player's conclusion; it alone determines the action */
  readonly conclusion: string;
}

export interface AnswerOptions {
  /** end thoughts with the conclusion; default true */
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
