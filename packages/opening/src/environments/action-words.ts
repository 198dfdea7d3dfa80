/** Words of an environment's actions that a model's tokenizer does not have, so that the model has to learn to spell them. */
import { loadTokenizer, type ModelFiles, type TextTokenizer } from '@emac/backbone';
import type { OpenedKind } from '@emac/core';

/**
 * Words with letters, in the order of their first use, of which a piece has fewer than three letters on average, or which
 * do not come back from the tokenizer at all. Words of few long pieces, as published models have them, are learned well.
 */
export function spelledWords(tokenizer: TextTokenizer, actions: readonly string[]): string[] {
  return [...new Set(actions.flatMap((action) => spelledIn(tokenizer, action)))];
}

function spelledIn(tokenizer: TextTokenizer, action: string): string[] {
  const ids = tokenizer.encode(` ${action}`);
  const ends = ids.map((_, place) => tokenizer.decode(ids.slice(0, place + 1)).length);
  const kept = tokenizer.decode(ids);
  let from = 0;
  return action.split(/\s+/).filter((word) => {
    const start = kept.indexOf(word, from);
    if (start < 0) return /\p{L}/u.test(word);
    from = start + word.length;
    // the blank before a word belongs to it
    const pieces = ends.filter((end, place) => end > start - 1 && (ends[place - 1] ?? 0) < from);
    return /\p{L}/u.test(word) && pieces.length > 1 && word.length < 3 * pieces.length;
  });
}

/** A model by the name that a person typed. */
export interface NamedModel {
  readonly name: string;
  readonly files: Pick<ModelFiles, 'companions'>;
}

/** One sentence on words that the model has to spell in a custom environment; none where it knows all, or in another environment. */
export function wordsNotes(kind: OpenedKind, { name, files: { companions } }: NamedModel): readonly string[] {
  if (!kind.offered) return [];
  const words = spelledWords(loadTokenizer(companions.tokenizer, companions.beginToken), kind.offered);
  if (words.length === 0) return [];
  const more = words.length > 12 ? ` and ${words.length - 12} more` : '';
  return [
    `words: ${name} has to spell ${words.slice(0, 12).join(', ')}${more} in pieces, and a small model hardly learns that; name the actions of ${kind.id} with words that it has, or with numbers, or give another model with --policy`,
  ];
}
