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
import { EmacError, type Completion } from '@emac/core';
import { remembered } from './remembered.ts';
import type { TokenRow } from './rows.ts';

export interface TokenRows {
  /** the token that ends an answer */
  readonly endToken: number;
  /** the input before an answer; only its token count depends on no picture */
  turn(text: string, pictures: number): Turn;
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
  listed(text: string, answers: readonly string[]): readonly (readonly number[])[];
  /** How many tokens may follow a prompt. Errors: `data` if there is no room for one. */
  room(turn: Turn, pictures: readonly ShownPicture[]): number;
}

export interface RowTexts {
  /** the pictures of the prompt */
  readonly pictures: readonly ShownPicture[];
  readonly text: string;
  readonly answers: readonly Completion[];
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
  const idsOf = (text: string, given: Completion) =>
    typeof given === 'string' ? answer({ text, answer: given }) : checkedIds(given, files.vocabulary);
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
    turn: (text, pictures) => turn({ text, pictures }),
    layout: (each, pictures) => form.layout(each, pictures),
    countAnswer: (text) => answer({ text: promptEnd, answer: text }).length,
    answer: (text) => form.answer(promptEnd, text),
    row: ({ pictures, text, answers }) => {
      const before = turn({ text, pictures: pictures.length });
      const responses = answers.map((given) => idsOf(text, given));
      room(before, { pictures, needed: Math.max(0, ...responses.map(({ length }) => length)) });
      return {
        visual: visualTokensOf(pictures),
        prompt: before.tokens,
        layout: form.layout(before, pictures),
        responses,
      };
    },
    listed: (text, answers) => {
      const end = text.slice(Math.max(0, text.lastIndexOf('\n')));
      return answers.map((each) => answer({ text: end, answer: each }));
    },
    room: (each, pictures) => room(each, { pictures, needed: 1 }),
  };
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
