/**
 * The part of a model's text that answers. Reasoning does not: `<think>` blocks and those of other families, also where the
 * chat template wrote the opening tag, so that the text holds the closing one alone. Nor does text around `<action>` or
 * `<answer>`, if a prompt asks for those tags.
 */

/** Mistral writes brackets, Kimi triangles, Seed a prefix. */
const names = '(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning)';
const opened = String.raw`(?:<${names}>|\[THINK\]|◁think▷)`;
const closed = String.raw`(?:</${names}>|\[/THINK\]|◁/think▷)`;
const blocks = new RegExp(String.raw`${opened}[\s\S]*?${closed}`, 'gi');
const untilClosed = new RegExp(String.raw`^[\s\S]*${closed}`, 'i');
const fromOpened = new RegExp(String.raw`${opened}[\s\S]*$`, 'i');

/** gpt-oss's channels, and what is left of them without special tokens. */
const untilFinal = /^[\s\S]*<\|channel\|>final\s*<\|message\|>|^analysis[\s\S]*?assistantfinal/i;
const analysis = /^(?:<\|start\|>assistant)?<\|channel\|>analysis[\s\S]*$/i;

/** A text without its reasoning; '' if an answer was cut while it reasoned. */
export function withoutReasoning(text: string): string {
  return text
    .replace(untilFinal, '')
    .replace(analysis, '')
    .replace(blocks, '\n')
    .replace(untilClosed, '\n')
    .replace(fromOpened, '\n');
}

const tagged = /<(action|answer)>([\s\S]*?)(?:<\/\1>|$)/i;

export interface AnswerParts {
  /** what stands before the tag; '' without one */
  readonly before: string;
  readonly answer: string;
}

/** The text inside the first `<action>` or `<answer>`, else all; without reasoning. */
export function answerParts(text: string): AnswerParts {
  const rest = withoutReasoning(text);
  const found = tagged.exec(rest);
  if (!found) return { before: '', answer: rest.replace(/<\/(?:action|answer)>/gi, '\n') };
  return { before: rest.slice(0, found.index), answer: found[2]! };
}
