/** A tiny model's tokenizer as training needs it: whole pieces by table, everything else by the tokenizer. */
import { readFileSync } from 'node:fs';
import { loadTokenizer, type TextTokenizer } from '@emac/backbone';

export interface Vocabulary {
  /** id of a whole piece, if it is a token */
  readonly ids: ReadonlyMap<string, number>;
  /** ids of any other text */
  encode(text: string): readonly number[];
  readonly begin: number;
  readonly pad: number;
}

export interface TinyVocabulary extends Vocabulary {
  readonly size: number;
  readonly tokenizer: TextTokenizer;
}

export function readVocabulary(file: string): TinyVocabulary {
  const { model } = JSON.parse(readFileSync(file, 'utf8')) as { model: { vocab: Record<string, number> } };
  const tokenizer = loadTokenizer(file);
  const bytes = new Map(byteCharacters.map((character, byte) => [character, byte]));
  const text = (token: string) =>
    new TextDecoder().decode(Uint8Array.from(token, (character) => bytes.get(character) ?? 63));
  return {
    ids: new Map(Object.entries(model.vocab).map(([token, id]) => [text(token), id])),
    encode: (piece) => tokenizer.encode(piece),
    begin: tokenizer.beginToken!,
    pad: tokenizer.padToken!,
    size: Object.keys(model.vocab).length,
    tokenizer,
  };
}

export function pieceIds(piece: string, { ids, encode }: Vocabulary): readonly number[] {
  const whole = ids.get(piece);
  return whole === undefined ? encode(piece) : [whole];
}

/**
 * The byte-to-character table of byte-level BPE (Radford et al. 2019), in byte order. Printable bytes stand for
 * themselves, others for the characters from U+0100 on, so any text can be written and no token holds white space.
 */
export const byteCharacters: readonly string[] = (() => {
  const printable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++));
})();

/** A text as byte-level characters. */
export function toByteLevel(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byteCharacters[byte]!).join('');
}
