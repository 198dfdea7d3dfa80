/** A whole conversation as ids with its targets, in a folder's chat template. */
import { EmacError } from '@emac/core';

import type { TextIds } from '../../files/text-ids.ts';
import { argumentForm, callsTools, recordedInWords } from './call-arguments.ts';
import type { Render } from './template-file.ts';
import {
  answeredSpans,
  markedSpans,
  marksGeneration,
  scoredTokens,
  type Span,
  type SpokenMessage,
  type SpokenPart,
  type Writing,
  type Written,
} from './written.ts';

/** How a message holds its text: as a string, or as a list of parts, in which pictures can stand. */
export type ContentForm = 'string' | 'parts';

export interface WritingForm {
  readonly source: string;
  readonly place: string;
  readonly rendered: Render;
  idsOf(text: string): TextIds;
  /** how many ids a text has at most */
  mostIds(text: string): number;
  readonly content: ContentForm;
  readonly imageToken: number | null;
  /** the text of the token that ends an answer */
  readonly endText: string;
}

/**
 * A whole conversation. Tools that the template does not read are written in words, as when the model acts. Errors: `usage` for them beside pictures, and
 * for calls that a template with tools leaves out.
 */
export function writtenIn(messages: readonly SpokenMessage[], writing: Writing, form: WritingForm): Written {
  const { whole, spans } = spokenIn(messages, writing, form);
  const read = form.idsOf(whole);
  const scored = scoredTokens(read, spans);
  return withoutPictures(read.ids, scored, form.imageToken);
}

/** How many ids a conversation has at most, as far as that is seen from its text; Infinity without a target. Errors: as `writtenIn`. */
export function mostIdsIn(messages: readonly SpokenMessage[], writing: Writing, form: WritingForm): number {
  const { whole, spans } = spokenIn(messages, writing, form);
  return spans.some(([start, end]) => start > 0 && end > start) ? form.mostIds(whole) : Infinity;
}

/** The text of a conversation, and the pieces that are targets. */
function spokenIn(
  messages: readonly SpokenMessage[],
  writing: Writing,
  form: WritingForm,
): { readonly whole: string; readonly spans: readonly Span[] } {
  const { from, turns, tools } = writing;
  const { source, place, rendered, content, imageToken, endText } = form;
  const calling = messages.findIndex(callsTools);
  const writesCalls = /\btool_calls\b/.test(source);
  if ((tools || (calling >= 0 && !writesCalls)) && !/\btools\b/.test(source)) {
    const told = recordedInWords(messages, tools);
    if (told) return spokenIn(told, { ...writing, tools: null }, form);
    throw new EmacError(
      'usage',
      `${place}: the chat template does not read tools, and beside pictures they are not written in words; leave them out, or take a model whose template has them`,
    );
  }
  if (calling >= 0 && !writesCalls)
    throw new EmacError(
      'usage',
      `${place}: the chat template does not write calls of tools, and message ${calling} has tool_calls; take a model whose template has them`,
    );
  if (imageToken === null || content === 'string') requireNoPictures(messages, place);
  const inForm = calling >= 0 ? argumentForm((asked) => rendered(asked, false)) : callsAsGiven;
  const said = messages.map((message) => inForm(spoken(message, content)));
  const render = (count: number, asksForAnswer: boolean) =>
    rendered(said.slice(0, count), asksForAnswer, { tools });
  const whole = render(said.length, false);
  const marked = marksGeneration(source) ? markedSpans(rendered(said, false, { tools, marked: true })) : null;
  const beginning = (count: number, asks: boolean) => (count === 0 && !asks ? '' : render(count, asks));
  const spans =
    marked?.text === whole
      ? marked.spans
      : answeredSpans(whole, { beginning, messages: said, endText, place });
  const first = from === 0 ? 0 : commonStart(render(from, true), whole);
  const kept = spans.filter(([start]) => start >= first);
  return { whole, spans: turns === 'last' ? kept.slice(-1) : kept };
}

const callsAsGiven = (message: SpokenMessage): SpokenMessage => message;

function isNoText({ type, text }: SpokenPart): boolean {
  return type !== 'text' && text === undefined;
}

/** Errors: `data` for a part that the template would leave out. */
function requireNoPictures(messages: readonly SpokenMessage[], place: string): void {
  for (const { content } of messages) {
    const other = typeof content === 'string' ? undefined : content?.find(isNoText);
    if (other)
      throw new EmacError(
        'data',
        `${place}: reads texts alone, and a message holds a part {"type": "${other.type}"}; leave it out, or take a model that sees pictures`,
      );
  }
}

/** A message whose content has the form that the template reads. */
function spoken(message: SpokenMessage, content: ContentForm): SpokenMessage {
  const given = message.content ?? null;
  if (given === null) return message;
  if (content === 'parts')
    return { ...message, content: typeof given === 'string' ? [{ type: 'text', text: given }] : given };
  return typeof given === 'string'
    ? message
    : { ...message, content: given.map(({ text = '' }) => text).join('') };
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

function withoutPictures(
  ids: readonly number[],
  scored: readonly boolean[],
  imageToken: number | null,
): Written {
  const written = { tokens: [] as number[], scored: [] as boolean[], before: [] as number[] };
  ids.forEach((id, place) => {
    if (id === imageToken) written.before.push(written.tokens.length);
    else {
      written.tokens.push(id);
      written.scored.push(scored[place]!);
    }
  });
  return written;
}
