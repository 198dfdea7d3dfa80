/**
 * Parses a model's free text into commands and thoughts. Models wrap commands in quotes, markdown, lists and labels,
 * put reasoning before them (`think:` lines as in ReAct, `<think>` blocks), tags around them, and continue after them.
 */
import { answerParts } from './answer-part.ts';
import { commandOf } from './command.ts';

export interface Reply {
  /** the first line that is a command, in its usual form; null without one */
  readonly command: string | null;
  /** the thoughts before it, one line each, without labels */
  readonly thoughts: readonly string[];
  /** the first line that is neither, cleaned and in lower case; '' without one */
  readonly other: string;
}

/** Reads a reply up to its first command; never throws. */
export function parseReply(text: string): Reply {
  const { before, answer } = answerParts(text);
  const thoughts = linesOf(before).flatMap((line) => thoughtOf(line) || []);
  let other = '';
  for (const line of linesOf(answer)) {
    const thought = thoughtOf(line);
    const cleaned = thought === null ? withoutDecoration(line) : '';
    const command = thought === null ? commandOf(cleaned) : null;
    if (command !== null) return { command, thoughts, other };
    if (thought) thoughts.push(thought);
    else if (other === '') other = cleaned.toLowerCase();
  }
  return { command: null, thoughts, other };
}

/**
 * A model's text as one line for the world: its first command; else its first thought as `think: …`; else its first
 * line, cleaned and in lower case. Nothing is added to the text. Idempotent, never throws.
 */
export function postprocess(text: string): string {
  let current = once(text);
  // decorations may be nested; every pass only removes text or writes a usual form, so this ends
  for (let next = once(current); next !== current; next = once(current)) current = next;
  return current;
}

function once(text: string): string {
  const { command, thoughts, other } = parseReply(text);
  if (command !== null) return command;
  return thoughts[0] === undefined ? other : `think: ${thoughts[0]}`;
}

const control = /<\/?s>|<\|[^|<>\n]*\|>|[\p{Cc}\p{Cf}\p{Cs}]/gu;

function linesOf(text: string): string[] {
  return text
    .split(/[\n\r\v\f\u0085\u2028\u2029]|\\n/)
    .flatMap((line) => line.replace(control, ' ').split(/(?=\b(?:next )?action\W{0,3}:)/i))
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '');
}

const thoughtLabel = /^[>*_"'`\s-]*(?:think|thought|reasoning)\b[*_]*\s*:[*_\s]*(.*)$/i;

/** The thought in a line ('' for an empty one), null for other lines. */
function thoughtOf(line: string): string | null {
  const match = thoughtLabel.exec(line);
  if (!match) return null;
  const thought = match[1]!.trim();
  return thoughtLabel.test(thought) ? thoughtOf(thought) : thought;
}

const label =
  /^(?:(?:the |my )?(?:next |best )?(?:action|act|command|answer|output|response)|step \d+|new plan)\W*:\W*/i;
const listMark = /^(?:[>*•\-–—#=+|]+\s*|\(?\d{1,3}[.):]\s+|\(\d{1,3}\)\s*)/;
const opening = /^["'`“”‘’«*_~([{\s]+/;
const closing = /["'`“”‘’»*_~)\]}\s.,;:!?…<>|]+$/;

function withoutDecoration(line: string): string {
  let current = line;
  for (;;) {
    const next = current
      .replace(opening, '')
      .replace(listMark, '')
      .replace(label, '')
      .replace(closing, '')
      .trim();
    if (next === current) return current;
    current = next;
  }
}
