/**
 * From texts to what the language model reads: begin token and prompt, then a target with its end token. A target has
 * the ids that follow its prompt when both are tokenized together, as they will be in the history: tokenizers in
 * SentencePiece's manner would put a blank of their own before a target alone. Where a tokenizer joins the prompt's end
 * and the target's beginning, what follows their longest common prefix is the target (LLaMA's and emma-tiny's join none
 * between `>` and a blank); the prompt keeps the ids it has while acting.
 * Targets are cut on the right at the generation limit (they lose their end token then), prompts never: a prompt that
 * is too long for the model's positions is an error, since shortening a history is the prompt's business.
 */
import type { ModelFiles, TextTokenizer } from '@emac/backbone';
import { EmacError } from '@emac/core';
import { remembered } from './remembered.ts';
import type { TokenRow } from './rows.ts';

export interface TokenRows {
  /** the token that ends a target */
  readonly endToken: number;
  /** begin token and text */
  prompt(text: string): number[];
  /** how many tokens a target has after a prompt's end, end token included: at most as many as an answer may have */
  countTarget(text: string): number;
  /** A prompt with its targets. Errors: `data` when they do not fit the model's positions. */
  row(text: string, targets: readonly string[]): TokenRow;
  /** How many tokens may follow a prompt. Errors: `data` when there is no room for one. */
  room(prompt: readonly number[]): number;
}

export interface TokenRowOptions {
  readonly checkpoint: ModelFiles;
  readonly tokenizer: TextTokenizer;
  /** tokens of a target, end token included */
  readonly maxTargetTokens: number;
}

interface Texts {
  readonly text: string;
  readonly targets: readonly string[];
}

/** Training draws the same rows many times; with prompts of 1000 tokens these take about 50 MB. */
const rememberedRows = 4096;

/** how every prompt ends */
const promptEnd = '\n>';

/** Errors: `data` when the tokenizer names no begin or no end token. */
export function tokenRows({ checkpoint, tokenizer, maxTargetTokens }: TokenRowOptions): TokenRows {
  const { beginToken, endToken } = tokenizer;
  if (beginToken === null || endToken === null)
    throw new EmacError(
      'data',
      `${checkpoint.folder}: tokenizer must name a begin and an end token, got ${beginToken} and ${endToken}; name them in tokenizer_config.json (bos_token, eos_token)`,
    );
  const { queryTokens, llama } = checkpoint.config;
  const prompt = (text: string) => [beginToken, ...tokenizer.encode(text)];
  const targetAfter = (text: string, before: readonly number[]) => (target: string) => {
    const whole = tokenizer.encode(text + target);
    return [...whole.slice(commonPrefix(before, whole)), endToken].slice(0, maxTargetTokens);
  };
  const targetAfterPromptEnd = targetAfter(promptEnd, tokenizer.encode(promptEnd));
  const room = (tokens: readonly number[], needed = 1) => {
    const left = llama.maxPositions - queryTokens - tokens.length;
    if (left >= needed) return left;
    throw new EmacError(
      'data',
      `student: ${queryTokens} visual tokens, a prompt of ${tokens.length} tokens and an answer of ${needed} must fit the model's ${llama.maxPositions} positions; shorten the prompt`,
    );
  };
  const compute = ({ text, targets }: Texts): TokenRow => {
    const before = tokenizer.encode(text);
    const tokens = { prompt: [beginToken, ...before], responses: targets.map(targetAfter(text, before)) };
    room(tokens.prompt, Math.max(...tokens.responses.map(({ length }) => length)));
    return tokens;
  };
  const known = remembered(compute, {
    key: ({ text, targets }) => JSON.stringify([text, targets]),
    limit: rememberedRows,
  });
  const row = (text: string, targets: readonly string[]) => known({ text, targets });
  const countTarget = (target: string) => targetAfterPromptEnd(target).length;
  return { endToken, prompt, countTarget, row, room: (tokens) => room(tokens) };
}

/** How many ids two texts have in common from the first on. */
function commonPrefix(one: readonly number[], other: readonly number[]): number {
  const end = one.findIndex((id, place) => id !== other[place]);
  return end === -1 ? one.length : end;
}
