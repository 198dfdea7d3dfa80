/** Ids of a text and of its beginnings. A text is taken apart at its added tokens, so that a beginning costs what stands behind the last of them. */
import type { Cut } from './added-tokens.ts';
import type { JsonObject } from './json-object.ts';

export interface TextIds {
  /** of the whole text */
  readonly ids: readonly number[];
  /** ids of the text up to a character: so many of the whole text's, and what follows them */
  upTo(end: number): { readonly shared: number; readonly rest: readonly number[] };
}

/** For an encoding that may look at all of a text. */
export function idsAtOnce(text: string, encode: (text: string) => readonly number[]): TextIds {
  return {
    ids: encode(text),
    upTo: (end) => ({ shared: 0, rest: encode(text.slice(0, end)) }),
  };
}

/** For an encoding under which the pieces between cuts are independent. */
export function idsInPieces(
  text: string,
  cuts: readonly Cut[],
  encode: (text: string) => readonly number[],
): TextIds {
  const ids: number[] = [];
  const pieces = [{ start: 0, least: 0 }, ...cuts].map(({ start, least }, place) => {
    const first = ids.length;
    for (const id of encode(text.slice(start, cuts[place]?.start))) ids.push(id);
    return { start, least, first };
  });
  return {
    ids,
    upTo(end) {
      const { start, first } = pieces.findLast(({ least }) => least <= end)!;
      return { shared: first, rest: encode(text.slice(start, end)) };
    },
  };
}

interface Part {
  readonly type?: unknown;
  readonly add_prefix_space?: unknown;
  readonly pretokenizers?: readonly Part[];
}

/** parts that take a text apart and add nothing to it */
const splitting = new Set<unknown>(['Split', 'Digits', 'Punctuation', 'ByteLevel']);

/**
 * A bound on the ids of a text, without reading it: where tokens are merged bytes there are at most as many as bytes, and NFC makes at most three bytes
 * of one that is not ASCII. Infinity for tokenizers of another kind.
 */
export function mostIds({ model, normalizer, pre_tokenizer }: JsonObject): (text: string) => number {
  const split = pre_tokenizer as Part | null | undefined;
  const parts = split?.pretokenizers ?? (split ? [split] : []);
  const norm = normalizer as Part | null | undefined;
  const isMergedBytes =
    (model as Part).type === 'BPE' &&
    (!norm || norm.type === 'NFC') &&
    parts.some(({ type }) => type === 'ByteLevel') &&
    parts.every((part) => splitting.has(part.type) && part.add_prefix_space !== true);
  if (!isMergedBytes) return () => Infinity;
  return (text) => {
    const bytes = Buffer.byteLength(text);
    // a character beyond ASCII has at most two bytes for each that it has more than UTF-16 has units
    return norm ? bytes + 4 * (bytes - text.length) : bytes;
  };
}
