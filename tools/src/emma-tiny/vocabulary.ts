/** emma-tiny's tokenizer as the corpus needs it: whole pieces by table, everything else by the tokenizer. */
import { readFileSync } from 'node:fs';
import { loadTokenizer, type TextTokenizer } from '@emac/backbone';
import { byteCharacters } from './byte-level.ts';
import type { Vocabulary } from './encoded-row.ts';
import type { Compositions } from './language-model.ts';
import { numberAndRest } from './tokenizer.ts';

export interface TinyVocabulary extends Vocabulary {
  /** tokens of a number and what follows it */
  readonly compositions: Compositions;
  readonly size: number;
  readonly tokenizer: TextTokenizer;
}

export function readVocabulary(file: string): TinyVocabulary {
  const { model } = JSON.parse(readFileSync(file, 'utf8')) as { model: { vocab: Record<string, number> } };
  const tokenizer = loadTokenizer(file);
  const bytes = new Map(byteCharacters.map((character, byte) => [character, byte]));
  const text = (token: string) =>
    new TextDecoder().decode(Uint8Array.from(token, (character) => bytes.get(character) ?? 63));
  const ids = new Map(Object.entries(model.vocab).map(([token, id]) => [text(token), id]));
  return {
    ids,
    encode: (piece) => tokenizer.encode(piece),
    begin: tokenizer.beginToken!,
    pad: tokenizer.padToken!,
    compositions: compositionsOf(ids),
    size: Object.keys(model.vocab).length,
    tokenizer,
  };
}

function compositionsOf(ids: ReadonlyMap<string, number>): Compositions {
  const found = [...ids].flatMap(([text, id]) => {
    const parts = numberAndRest(text);
    if (parts === null) return [];
    const of = ids.get(parts.number);
    return of === undefined ? [] : [[id, { of, rest: parts.rest }] as const];
  });
  return new Map(found);
}
