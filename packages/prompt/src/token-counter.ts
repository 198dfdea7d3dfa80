/**
 * Counts tokens of OpenAI models with tiktoken (WASM; its memory is freed by hand). An estimate for other vendors'
 * models: unknown names count as o200k_base. Text such as `<|endoftext|>` counts as plain text, never as a control token.
 */
import { EmacError } from '@emac/core';
import { get_encoding, get_encoding_name_for_model } from '#tiktoken';
import type { Tiktoken, TiktokenEncoding, TiktokenModel } from 'tiktoken';

/** Counts tokens of a text; `free` releases the encoder's memory, after which counting throws. */
export interface TokenCounter {
  (text: string): number;
  readonly encoding: string;
  /** false if the encoding is only a guess, the usual one of current models */
  readonly isKnown: boolean;
  free(): void;
}

/** A counter for a model's tokens; unknown models use o200k_base. Its encoder loads on the first text. Free it after use. */
export function countTokens(model: string): TokenCounter {
  const known = encodingOf(model);
  const encoding = known ?? fallback;
  let encoder: Tiktoken | null = null;
  let isFreed = false;
  const count = (text: string): number => {
    if (isFreed) throw new EmacError('internal', `countTokens(${model}): used after free()`);
    encoder ??= get_encoding(encoding);
    return encoder.encode_ordinary(text).length;
  };
  const free = (): void => {
    encoder?.free();
    encoder = null;
    isFreed = true;
  };
  return Object.assign(count, { encoding, isKnown: known !== null, free });
}

const fallback = 'o200k_base';

function encodingOf(model: string): TiktokenEncoding | null {
  try {
    return get_encoding_name_for_model(model as TiktokenModel);
  } catch {
    return null;
  }
}
