/**
 * Recognition: do two pictures show the same concept? Half of the pairs do; two fifths of the others are of different
 * categories, as published.
 */
import { EmacError, type Random } from '@emac/core';
import type { Catalogue, Concept } from '../catalogue.ts';

export interface RecognitionPair {
  readonly query: string;
  /** a view of the concept in question */
  readonly reference: string;
  readonly isSame: boolean;
  /** category of the reference */
  readonly category: string;
}

export interface PairOptions {
  readonly views: 'train' | 'test';
  readonly random: Random;
  /** default 0.5 */
  readonly positiveShare?: number;
  /** of the negatives; default 0.4; all if a category has one concept, none if there is one category */
  readonly otherCategoryShare?: number;
}

/**
 * One pair for every view of every concept that has another view. Errors: `data` for fewer than two concepts with a
 * view.
 */
export function drawPairs(concepts: Catalogue, options: PairOptions): readonly RecognitionPair[] {
  const { views, random, positiveShare = 0.5, otherCategoryShare = 0.4 } = options;
  const shown = concepts.filter((concept) => concept[views].length > 0);
  if (shown.length < 2)
    throw new EmacError('data', `pairs: need two concepts with a ${views} view, got ${shown.length}`);
  return shown.flatMap((concept) => {
    if (concept[views].length < 2) return [];
    return concept[views].map((reference) => {
      const draws = random.stream(JSON.stringify([concept.category, concept.name, reference]));
      const isSame = draws.uniform() < positiveShare;
      const other = draws.uniform() < otherCategoryShare;
      const from = isSame ? concept : draws.pick(rivalsOf(concept, shown, other));
      const query = draws.pick(from[views].filter((view) => view !== reference));
      return { query, reference, isSame, category: concept.category };
    });
  });
}

/** Concepts of another category, or of the same one; falls back to the other kind if there are none. */
function rivalsOf(concept: Concept, shown: Catalogue, ofOther: boolean): Catalogue {
  const others = shown.filter((each) => each !== concept);
  const found = others.filter(({ category }) => (category !== concept.category) === ofOther);
  return found.length > 0 ? found : others;
}
