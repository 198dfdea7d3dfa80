/**
 * From texts to the language model's input: the turn as the family writes it (`PromptForm`), then an answer.
 *
 * A text answer gets the ids that follow its prompt when both are tokenized together, as later in the history, and an end token: tokenizers
 * like SentencePiece would put a blank before an answer alone. If a tokenizer joins the prompt's end and the answer's beginning, the answer
 * is the part after their longest common prefix (LLaMA's and emma-tiny's join none between `>` and a blank); the prompt keeps its ids from
 * acting. An answer given as ids is used unchanged, as it was sampled.
 *
 * Text answers are truncated on the right at the generation limit (and then lose their end token); ids and prompts never are. A sequence
 * longer than the model's positions is an error, since shortening a history is the prompt builder's task.
 */
import type { ModelFiles, PromptForm, PromptLayout, ShownPicture, Turn } from '@emac/backbone';
import { EmacError, invariant, type Completion, type PromptTokens, type ScoredRow } from '@emac/core';
import type { PromptText } from '../read-prompt.ts';
import { remembered } from './remembered.ts';
import type { TokenRow } from './rows.ts';

export interface TokenRows {
  /** the token that ends an answer */
  readonly endToken: number;
  /** the input before an answer; only its token count depends on no picture */
  turn(text: PromptText, pictures: number): Turn;
  /** where the tokens of a turn and its pictures stand */
  layout(turn: Turn, pictures: readonly ShownPicture[]): PromptLayout;
  /** how many tokens an answer's text has after a prompt, end token included; at most the answer limit */
  countAnswer(text: string): number;
  /** ids of an answer's text after a prompt, all of them, without end token */
  answer(text: string): readonly number[];
  /** A prompt with its answers. Errors: `data` if they exceed the model's positions, or for invalid ids. */
  row(texts: RowTexts): TokenRow;
  /**
   * Ids with end token of a list's answers after a text, at most the answer limit each: as they are after its last line, so that a list
   * costs little at every step.
   */
  listed(text: PromptText, answers: readonly string[]): readonly (readonly number[])[];
  /** How many tokens may follow a prompt. Errors: `data` if there is no room for one. */
  room(turn: Turn, pictures: readonly ShownPicture[]): number;
}

export interface RowTexts {
  /** the pictures of the prompt */
  readonly pictures: readonly ShownPicture[];
  readonly text: PromptText;
  readonly answers: readonly Completion[];
  /** for each answer which of its ids are targets; absent: all of all */
  readonly scored?: ScoredRow['scored'];
}

export interface TokenRowOptions {
  readonly files: Pick<ModelFiles, 'config' | 'vocabulary'>;
  readonly form: PromptForm;
  /** tokens of an answer's text, end token included */
  readonly maxAnswerTokens: number;
}

/** Training samples the same texts many times; with prompts of 1000 tokens these take about 50 MB. */
const [rememberedPrompts, rememberedAnswers] = [4096, 8192];

/** how every prompt ends */
const promptEnd = '\n>';

export function tokenRows({ files, form, maxAnswerTokens }: TokenRowOptions): TokenRows {
  const { endToken } = form;
  const { llama } = files.config;
  const turn = remembered(
    ({ text, pictures }: { readonly text: string; readonly pictures: number }) => form.turn(text, pictures),
    { key: ({ text, pictures }) => `${pictures} ${text}`, limit: rememberedPrompts },
  );
  const answer = remembered(
    ({ text, answer }: { readonly text: string; readonly answer: string }): readonly number[] =>
      [...form.answer(text, answer), endToken].slice(0, maxAnswerTokens),
    { key: (each) => JSON.stringify([each.text, each.answer]), limit: rememberedAnswers },
  );
  const turnOf = (text: PromptText, pictures: number): Turn =>
    typeof text === 'string' ? turn({ text, pictures }) : tokenized(text, pictures);
  const answered = (text: PromptText, given: Completion) =>
    typeof given === 'string'
      ? answer({ text: wordsOf(text), answer: given })
      : checkedIds(given, files.vocabulary);
  const room = (
    { tokens }: Turn,
    { pictures, needed }: { pictures: readonly ShownPicture[]; needed: number },
  ) => {
    const visual = visualTokensOf(pictures);
    const left = llama.maxPositions - visual - tokens.length;
    if (left >= needed) return left;
    throw new EmacError(
      'data',
      `student: ${visual} visual tokens, a prompt of ${tokens.length} tokens and an answer of ${needed} must fit the model's ${llama.maxPositions} positions; shorten the prompt`,
    );
  };
  return {
    endToken,
    turn: turnOf,
    layout: (each, pictures) => form.layout(each, pictures),
    countAnswer: (text) => answer({ text: promptEnd, answer: text }).length,
    answer: (text) => form.answer(promptEnd, text),
    row: ({ pictures, text, answers, scored }) => {
      const before = turnOf(text, pictures.length);
      const responses = answers.map((given) => answered(text, given));
      room(before, { pictures, needed: Math.max(0, ...responses.map(({ length }) => length)) });
      return {
        visual: visualTokensOf(pictures),
        prompt: before.tokens,
        layout: form.layout(before, pictures),
        responses,
        ...(scored && { scored }),
      };
    },
    listed: (text, answers) => {
      const words = wordsOf(text);
      const end = words.slice(Math.max(0, words.lastIndexOf('\n')));
      return answers.map((each) => answer({ text: end, answer: each }));
    },
    room: (each, pictures) => room(each, { pictures, needed: 1 }),
  };
}

/** A prompt that was tokenized before, whose pictures it must have places for. */
function tokenized({ tokens, before }: PromptTokens, pictures: number): Turn {
  if (before.length === pictures) return { tokens, before };
  throw new EmacError(
    'data',
    `student: messages must have a place for each picture ({"type": "image"}), got ${before.length} for ${pictures}`,
  );
}

function wordsOf(text: PromptText): string {
  invariant(typeof text === 'string', 'student: after a prompt of ids an answer must be ids');
  return text;
}

/** Visual tokens of some pictures together. */
export function visualTokensOf(pictures: readonly ShownPicture[]): number {
  return pictures.reduce((sum, { tokens }) => sum + tokens, 0);
}

function checkedIds(ids: readonly number[], vocabulary: number): readonly number[] {
  const wrong = ids.find((id) => !(Number.isInteger(id) && id >= 0 && id < vocabulary));
  if (wrong === undefined && ids.length > 0) return ids;
  throw new EmacError(
    'data',
    `student: an answer must have one token id or more, each from 0 to ${vocabulary - 1}, got ${wrong ?? 'none'}`,
  );
}
