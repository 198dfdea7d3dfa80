/**
 * From texts to what the language model reads: begin token and prompt, then a target with its end token. Targets are
 * cut on the right at the generation limit (they lose their end token then), prompts never: a prompt that is too long
 * for the model's positions is an error, since shortening a history is the prompt's business.
 */
import type { Checkpoint, TextTokenizer } from '@emac/backbone';
import { EmacError } from '@emac/core';
import type { TokenRow } from './rows.ts';

export interface TokenRows {
  /** the token that ends a target */
  readonly endToken: number;
  /** begin token and text */
  prompt(text: string): number[];
  /** target tokens and the end token, at most as many as an answer may have */
  target(text: string): number[];
  /** A prompt with its targets. Errors: `data` when they do not fit the model's positions. */
  row(text: string, targets: readonly string[]): TokenRow;
  /** How many tokens may follow a prompt. Errors: `data` when there is no room for one. */
  room(prompt: readonly number[]): number;
}

export interface TokenRowOptions {
  readonly checkpoint: Checkpoint;
  readonly tokenizer: TextTokenizer;
  /** tokens of a target, end token included */
  readonly maxTargetTokens: number;
}

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
  const target = (text: string) => [...tokenizer.encode(text), endToken].slice(0, maxTargetTokens);
  const room = (tokens: readonly number[], needed = 1) => {
    const left = llama.maxPositions - queryTokens - tokens.length;
    if (left >= needed) return left;
    throw new EmacError(
      'data',
      `student: ${queryTokens} visual tokens, a prompt of ${tokens.length} tokens and an answer of ${needed} must fit the model's ${llama.maxPositions} positions; shorten the prompt`,
    );
  };
  const row = (text: string, targets: readonly string[]): TokenRow => {
    const tokens = { prompt: prompt(text), responses: targets.map(target) };
    room(tokens.prompt, Math.max(...tokens.responses.map(({ length }) => length)));
    return tokens;
  };
  return { endToken, prompt, target, row, room: (tokens) => room(tokens) };
}
