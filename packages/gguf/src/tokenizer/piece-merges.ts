/**
 * SentencePiece's BPE keeps a score for each token: the neighbours with the highest union merge first. `tokenizer.json` keeps a list of
 * merges in order. One is made from the other.
 */
import { EmacError } from '@emac/core';

import { tokenTypes } from './vocabulary.ts';

type Merge = readonly [left: string, right: string];

/** As transformers makes them (`generate_merges`): every way to split a token into two, highest score first. */
export function mergesOfScores(
  tokens: readonly string[],
  scores: readonly number[],
  types: readonly number[],
): Merge[] {
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const merges: { merge: Merge; score: number; ids: readonly [number, number] }[] = [];
  tokens.forEach((token, id) => {
    if (types[id] !== tokenTypes.normal) return;
    const letters = [...token];
    for (let at = 1; at < letters.length; at++) {
      const merge = [letters.slice(0, at).join(''), letters.slice(at).join('')] as const;
      const [left, right] = [ids.get(merge[0]), ids.get(merge[1])];
      if (left !== undefined && right !== undefined)
        merges.push({ merge, score: scores[id]!, ids: [left, right] });
    }
  });
  return merges
    .sort((a, b) => b.score - a.score || a.ids[0] - b.ids[0] || a.ids[1] - b.ids[1])
    .map(({ merge }) => merge);
}

/** A score for each token that merges in this order: minus the place of its first merge. Errors: `data` where no scores do. */
export function scoresOfMerges(tokens: readonly string[], merges: readonly Merge[], place: string): number[] {
  const first = new Map<string, number>();
  let before = '';
  merges.forEach(([left, right], index) => {
    const token = left + right;
    if (token !== before && first.has(token))
      throw new EmacError(
        'data',
        `${place}: all merges to one token must follow one another, those to ${JSON.stringify(token)} do not; no scores express this order`,
      );
    if (token !== before) first.set(token, index);
    before = token;
  });
  return tokens.map((token) => -(first.get(token) ?? 0));
}
