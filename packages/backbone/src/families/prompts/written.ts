/**
 * A whole conversation in a folder's chat template, with the tokens of the assistant's turns marked, as
 * `apply_chat_template(…, return_assistant_tokens_mask=True)` of transformers marks them: what stands in the template's own
 * `{% generation %}` blocks. A template without such blocks is rendered for the beginning of each answer: marked is what follows the prompt of an
 * answer, up to and including its end token, even if the template writes more behind it.
 */
import { EmacError, type PromptTokens } from '@emac/core';
import type { TextIds } from '../../files/text-ids.ts';
import type { TextTokenizer } from '../../files/tokenizer.ts';

/** A message of a conversation, as a chat template reads it. */
export interface SpokenMessage {
  readonly role: string;
  /** null or absent: none, as in a message of tool calls alone */
  readonly content?: string | readonly SpokenPart[] | null;
  readonly [field: string]: unknown;
}

/** A part of a message: a text, or the place of a picture. */
export interface SpokenPart {
  readonly type: string;
  readonly text?: string;
  readonly [field: string]: unknown;
}

export interface Writing {
  /** messages before this one are no target */
  readonly from: number;
  /** the assistant's turns that are targets */
  readonly turns: 'all' | 'last';
  /** schemas of functions, passed to the template; null: none */
  readonly tools: readonly unknown[] | null;
}

/** A conversation's ids, without visual tokens. */
export interface Written extends PromptTokens {
  /** for each id whether it is a target */
  readonly scored: readonly boolean[];
}

/** A piece of a text: its first character, and the one after its last. */
export type Span = readonly [start: number, end: number];

const generation = /\{%([-+]?)\s*(end)?generation\s*([-+]?)%\}/g;

/** A character of the private use areas on each side of a generated piece. */
export const marks = { begin: '\u{F8F0}', end: '\u{F8F1}' } as const;

/** Whether a template marks what the assistant writes. */
export function marksGeneration(source: string): boolean {
  return source.search(generation) >= 0;
}

/** The template with marks around generated pieces; its blocks trim their surroundings as before. */
export function withMarks(source: string): string {
  return source.replace(generation, (_, ...[left, end, right]: string[]) => {
    const mark = end === undefined ? 'generation_begin' : 'generation_end';
    return `{%${left} if true %}{{ ${mark} }}{% endif ${right}%}`;
  });
}

/** The pieces between marks, as places of the text without them; null if they do not pair. */
export function markedSpans(
  marked: string,
): { readonly text: string; readonly spans: readonly Span[] } | null {
  const spans: Span[] = [];
  let text = '';
  let begin: number | null = null;
  for (const piece of marked.split(/([\u{F8F0}\u{F8F1}])/u)) {
    if (piece === marks.begin) {
      if (begin !== null) return null;
      begin = text.length;
    } else if (piece === marks.end) {
      if (begin === null) return null;
      spans.push([begin, text.length]);
      begin = null;
    } else text += piece;
  }
  return begin === null ? { text, spans } : null;
}

export interface Rendering {
  /** the text of the first `count` messages, with or without the beginning of an answer */
  beginning(count: number, asksForAnswer: boolean): string;
  readonly messages: readonly SpokenMessage[];
  /** the text of the token that ends an answer */
  readonly endText: string;
  readonly place: string;
}

/** The assistant's turns in a whole text, found by rendering beginnings of the conversation. Errors: `data` for a template that rewrites a turn. */
export function answeredSpans(whole: string, { beginning, messages, endText, place }: Rendering): Span[] {
  return messages.flatMap(({ role }, at): Span[] => {
    if (role !== 'assistant') return [];
    const before = beginning(at, true);
    const start = commonLength(before, whole);
    // a template may open a thought in a prompt that it does not write in earlier turns (Qwen3)
    const unwritten = before.slice(start).replace(/<\/?think>/g, '');
    const reached = commonLength(beginning(at, false), whole);
    const end = start < reached || unwritten.trim() !== '' ? null : answerEnd(whole, start);
    if (end === null)
      throw new EmacError(
        'data',
        `${place}: the chat template writes message ${at} of a conversation in another way than its prompt, so that its answer cannot be found; mark it with {% generation %} in the template`,
      );
    return [[start, end]];

    function answerEnd(text: string, from: number): number | null {
      const after = at === messages.length - 1 ? text.length : commonLength(beginning(at + 1, false), text);
      // where the template writes the turn as it writes the last one, the turn ends where the texts part
      const limit = after > from ? after : text.length;
      const found =
        after > from ? text.slice(from, limit).lastIndexOf(endText) : text.slice(from).indexOf(endText);
      if (endText !== '' && found >= 0) return from + found + endText.length;
      return after > from ? from + text.slice(from, limit).trimEnd().length : null;
    }
  });
}

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return length;
}

/** Marks the ids of pieces of a text: a token counts if it holds a piece's first or last character, or stands between. */
export function scoredTokens({ ids, upTo }: TextIds, spans: readonly Span[]): boolean[] {
  const scored = ids.map(() => false);
  /** ids of the text up to a character that are ids of the whole text, and whether these are all of them */
  const sharedUpTo = (end: number): { readonly count: number; readonly isWhole: boolean } => {
    const { shared, rest } = upTo(end);
    const other = rest.findIndex((id, place) => id !== ids[shared + place]);
    return { count: shared + (other === -1 ? rest.length : other), isWhole: other === -1 };
  };
  for (const [start, end] of spans) {
    if (end <= start) continue;
    const { count, isWhole } = sharedUpTo(end);
    scored.fill(true, sharedUpTo(start).count, isWhole ? count : count + 1);
  }
  return scored;
}

/** A text that goes through no template, such as a base model's: begin token, text and end token. */
export function writtenText(
  { before, after }: { readonly before: string; readonly after: string },
  { tokenizer, endToken }: { readonly tokenizer: TextTokenizer; readonly endToken: number },
): Written {
  const encode = (text: string) => tokenizer.encode(text, { special: true });
  const endText = tokenizer.decode([endToken], { special: true });
  const ids = encode(before + after);
  const tokens = ids.at(-1) === endToken || (before + after).endsWith(endText) ? ids : [...ids, endToken];
  const beginning = before === '' ? tokens.slice(0, 1) : encode(before);
  const other = beginning.findIndex((id, place) => id !== tokens[place]);
  // the first token follows nothing, so that nothing predicts it
  const start = Math.max(1, other === -1 ? beginning.length : other);
  return { tokens, before: [], scored: tokens.map((_, place) => place >= start) };
}
