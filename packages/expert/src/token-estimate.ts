/**
 * Token counts for limits. Models unknown to tiktoken are counted with o200k_base and a margin of a quarter, since
 * other vocabularies split the same text into more pieces.
 */
import { countTokens } from '@emac/prompt';

export interface TokenEstimate {
  (text: string): number;
  /** a sentence for people if it is an estimate; null for a known model */
  readonly note: string | null;
  /** frees the encoder's memory; counting throws after that */
  free(): void;
}

const margin = 1.25;

/** Free it after use. */
export function tokenEstimate(model: string): TokenEstimate {
  const count = countTokens(model);
  const { encoding, isKnown, free } = count;
  if (isKnown) return Object.assign((text: string) => count(text), { note: null, free });
  const note = `tokens of ${model} are estimated: ${encoding} and a quarter more`;
  return Object.assign((text: string) => Math.ceil(count(text) * margin), { note, free });
}

/**
 * A counter that only answers whether a text has at most `limit` tokens: bytes, an upper bound, decide most texts at no
 * cost.
 */
export function countedUpTo(limit: number, count: (text: string) => number): (text: string) => number {
  return (text) => {
    const bytes = Math.ceil(Buffer.byteLength(text) * margin);
    return bytes <= limit ? bytes : count(text);
  };
}
