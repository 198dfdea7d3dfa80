/**
 * From texts to what the language model reads: begin token and prompt, then an answer. An answer given as a text has
 * the ids that follow its prompt when both are tokenized together, as they will be in the history, and an end token:
 * tokenizers in SentencePiece's manner would put a blank of their own before an answer alone. Where a tokenizer joins
 * the prompt's end and the answer's beginning, what follows their longest common prefix is the answer (LLaMA's and
 * emma-tiny's join none between `>` and a blank); the prompt keeps the ids it has while acting. An answer given as ids
 * is those ids, as when it was sampled.
 * Texts are cut on the right at the generation limit (they lose their end token then), ids and prompts never: what is
 * too long for the model's positions is an error, since shortening a history is the prompt's business.
 */
import type { ModelFiles, TextTokenizer } from '@emac/backbone';
import { EmacError, type Completion } from '@emac/core';
import { remembered } from './remembered.ts';
import type { TokenRow } from './rows.ts';

export interface TokenRows {
  /** the token that ends an answer */
  readonly endToken: number;
  /** begin token and text */
  prompt(text: string): number[];
  /** how many tokens an answer's text has after a prompt's end, end token included: at most as many as an answer may have */
  countAnswer(text: string): number;
  /** A prompt with its answers. Errors: `data` when they do not fit the model's positions, or for invalid ids. */
  row(texts: RowTexts): TokenRow;
  /** How many tokens may follow a prompt. Errors: `data` when there is no room for one. */
  room(prompt: readonly number[], images: number): number;
}

export interface RowTexts {
  /** how many pictures come before the text */
  readonly images: number;
  readonly text: string;
  readonly answers: readonly Completion[];
}

export interface TokenRowOptions {
  readonly files: ModelFiles;
  readonly tokenizer: TextTokenizer;
  /** tokens of an answer's text, end token included */
  readonly maxAnswerTokens: number;
}

/** Training draws the same texts many times; with prompts of 1000 tokens these take about 50 MB. */
const [rememberedPrompts, rememberedAnswers] = [4096, 8192];

/** how every prompt ends */
const promptEnd = '\n>';

/** Errors: `data` when the tokenizer names no begin or no end token. */
export function tokenRows({ files, tokenizer, maxAnswerTokens }: TokenRowOptions): TokenRows {
  const { beginToken, endToken } = tokenizer;
  if (beginToken === null || endToken === null)
    throw new EmacError(
      'data',
      `${files.folder}: tokenizer must name a begin and an end token, got ${beginToken} and ${endToken}; name them in tokenizer_config.json (bos_token, eos_token)`,
    );
  const { queryTokens, llama } = files.config;
  const encode = remembered((text: string): readonly number[] => tokenizer.encode(text), {
    key: (text) => text,
    limit: rememberedPrompts,
  });
  const prompt = (text: string) => [beginToken, ...encode(text)];
  const answer = remembered(
    ({ text, answer }: { readonly text: string; readonly answer: string }): readonly number[] => {
      const whole = tokenizer.encode(text + answer);
      return [...whole.slice(commonPrefix(encode(text), whole)), endToken].slice(0, maxAnswerTokens);
    },
    { key: (each) => JSON.stringify([each.text, each.answer]), limit: rememberedAnswers },
  );
  const idsOf = (text: string, given: Completion) =>
    typeof given === 'string' ? answer({ text, answer: given }) : checkedIds(given, files.vocabulary);
  const room = (tokens: readonly number[], { images, needed }: { images: number; needed: number }) => {
    const visual = images * queryTokens;
    const left = llama.maxPositions - visual - tokens.length;
    if (left >= needed) return left;
    throw new EmacError(
      'data',
      `student: ${visual} visual tokens, a prompt of ${tokens.length} tokens and an answer of ${needed} must fit the model's ${llama.maxPositions} positions; shorten the prompt`,
    );
  };
  return {
    endToken,
    prompt,
    countAnswer: (text) => answer({ text: promptEnd, answer: text }).length,
    row: ({ images, text, answers }) => {
      const before = prompt(text);
      const responses = answers.map((given) => idsOf(text, given));
      room(before, { images, needed: Math.max(0, ...responses.map(({ length }) => length)) });
      return { visual: images * queryTokens, prompt: before, responses };
    },
    room: (tokens, images) => room(tokens, { images, needed: 1 }),
  };
}

function checkedIds(ids: readonly number[], vocabulary: number): readonly number[] {
  const wrong = ids.find((id) => !(Number.isInteger(id) && id >= 0 && id < vocabulary));
  if (wrong === undefined && ids.length > 0) return ids;
  throw new EmacError(
    'data',
    `student: an answer must have one token id or more, each from 0 to ${vocabulary - 1}, got ${wrong ?? 'none'}`,
  );
}

/** How many ids two texts have in common from the first on. */
function commonPrefix(one: readonly number[], other: readonly number[]): number {
  const end = one.findIndex((id, place) => id !== other[place]);
  return end === -1 ? one.length : end;
}
