/** How a family writes a turn: pictures and a text, then the answer. */
import type { AnswerConstraint, ToolCall } from '@emac/core';
import type { LanguageParts } from '../../generation/language/answer-language.ts';
import type { Language } from '../../generation/language/language.ts';
import type { ToolRequest } from './tool-form.ts';
import { picturesWithin, visualFirst, type PromptLayout } from '../../generation/prompts/prompt-layout.ts';
import type { SpokenMessage, Writing, Written } from './written.ts';

/** A prompt without its visual tokens. */
export interface Turn {
  /** ids of the text */
  readonly tokens: readonly number[];
  /** for each picture the number of text ids before it */
  readonly before: readonly number[];
}

export interface PromptForm {
  /** how a text becomes a prompt: by the folder's chat template, in the family's own words, or as it is */
  readonly kind: 'chat' | 'own' | 'plain';
  /** ends an answer */
  readonly endToken: number;
  /** The turn before an answer. */
  turn(text: string, pictures: number): Turn;
  /** Ids of an answer after a text, without the end token. */
  answer(text: string, answer: string): readonly number[];
  /** the same after a conversation; null without a chat template */
  readonly conversation: Conversation | null;
  /** The places of all tokens; `pictures` are those of the turn. */
  layout(turn: Turn, pictures: readonly ShownPicture[]): PromptLayout;
}

/** `said`: texts of user and assistant alternately, the user first and last. */
export interface Conversation {
  /** The prompt before an answer; the pictures stand in the last turn. */
  turn(said: readonly string[], pictures: number): Turn;
  /** Ids of an answer, without the end token. */
  answer(said: readonly string[], answer: string): readonly number[];
  /** The same prompt for the messages of a request, which have any roles, and may name tools. Errors: `data` for messages that the template refuses. */
  asked(request: ToolRequest, pictures: number): Turn;
  /** Ids of a call of a tool as an answer, in the template's own form, without the end token. Errors: `data` where the template puts it elsewhere. */
  called(call: ToolCall): readonly number[];
  /** The texts that an answer's form allows. Errors: `data` for a form that cannot be kept. */
  formed(form: AnswerConstraint, parts: Omit<LanguageParts, 'called'>): Language;
  /** A whole conversation with its targets. Errors: `data` for messages that the template refuses, `usage` for tools that it does not read, beside pictures. */
  written(messages: readonly SpokenMessage[], writing: Writing): Written;
  /** How many ids it has at most, as far as that is seen without a tokenizer; Infinity without a target. Errors: as `written`. */
  mostIds(messages: readonly SpokenMessage[], writing: Writing): number;
}

export interface ShownPicture {
  /** visual tokens */
  readonly tokens: number;
  readonly columns?: number;
}

/** Pictures first, then begin token and text, as in InstructBLIP. */
export function picturesFirst({
  encode,
  beginToken,
  endToken,
}: {
  encode(text: string): readonly number[];
  beginToken: number;
  endToken: number;
}): PromptForm {
  return {
    kind: 'own',
    endToken,
    turn: (text, pictures) => ({
      tokens: [beginToken, ...encode(text)],
      before: Array<number>(pictures).fill(0),
    }),
    answer: (text, answer) => continuation(encode(text), encode(text + answer)),
    conversation: null,
    layout: ({ tokens }, pictures) =>
      visualFirst(
        pictures.reduce((sum, picture) => sum + picture.tokens, 0),
        tokens.length,
      ),
  };
}

/** Pictures at their places inside the text. */
export function layoutWithin(axes: 1 | 3): PromptForm['layout'] {
  return ({ tokens, before }, pictures) =>
    picturesWithin(
      pictures.map((picture, number) => ({ ...picture, before: before[number]! })),
      { text: tokens.length, axes },
    );
}

/** The ids of `whole` after its common prefix `start`. */
export function continuation(start: readonly number[], whole: readonly number[]): readonly number[] {
  const end = start.findIndex((id, place) => id !== whole[place]);
  return whole.slice(end === -1 ? start.length : end);
}
