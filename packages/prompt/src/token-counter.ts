/**
 * Counts tokens of OpenAI models with tiktoken (WASM; its memory is freed by hand). An estimate for other vendors'
 * models: unknown names count as o200k_base. Text such as `<|endoftext|>` counts as plain text, never as a control token.
 */
import { EmacError } from '@emac/core';
import { encoding_for_model, get_encoding, type Tiktoken, type TiktokenModel } from 'tiktoken';

/** Tokens of a text; `free` gives the encoder's memory back, after which counting throws. */
export interface TokenCounter {
  (text: string): number;
  readonly encoding: string;
  /** false where the encoding is only the usual one of today's models */
  readonly isKnown: boolean;
  free(): void;
}

/** A counter for a model's tokens; unknown models count with o200k_base. Free it after use. */
export function countTokens(model: string): TokenCounter {
  const known = encoderFor(model);
  let encoder: Tiktoken | null = known ?? get_encoding(fallback);
  const encoding = encoder.name ?? fallback;
  const count = (text: string): number => {
    if (!encoder) throw new EmacError('internal', `countTokens(${model}): used after free()`);
    return encoder.encode_ordinary(text).length;
  };
  const free = (): void => {
    encoder?.free();
    encoder = null;
  };
  return Object.assign(count, { encoding, isKnown: known !== null, free });
}

const fallback = 'o200k_base';

function encoderFor(model: string): Tiktoken | null {
  try {
    return encoding_for_model(model as TiktokenModel);
  } catch {
    return null;
  }
}
