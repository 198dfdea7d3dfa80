/**
 * Games: the speaker describes one picture; the listener sees K candidates, one of them another view of the same
 * concept. As published, the rivals are the most similar concepts, and the right candidate is the least similar of its
 * views. Without a similarity measure all are drawn, the same category first.
 */
import { EmacError, type Random } from '@emac/core';
import type { Catalogue, Concept } from './catalogue.ts';

export interface LewisGame {
  readonly category: string;
  /** name of the concept */
  readonly concept: string;
  /** the speaker's view */
  readonly image: string;
  /** the listener's views, K */
  readonly candidates: readonly string[];
  /** index of the right candidate */
  readonly label: number;
}

/** Views for training, for testing, or both. */
export type ViewPart = 'train' | 'test' | 'all';

export interface GameOptions {
  /** K; default 3 */
  readonly candidates?: number;
  readonly views: ViewPart;
  /** each game draws from its own stream */
  readonly random: Random;
  /** similarity of two views, larger is more similar; default: unknown */
  readonly similarity?: (a: string, b: string) => number;
}

/**
 * One game for every view of every concept that has another view. Errors: `usage` for fewer than two candidates, `data`
 * for fewer concepts than candidates.
 */
export function drawGames(concepts: Catalogue, options: GameOptions): readonly LewisGame[] {
  const { candidates = 3, views } = options;
  if (!Number.isSafeInteger(candidates) || candidates < 2)
    throw new EmacError('usage', `games: need two candidates or more, got ${candidates}`);
  const shown = concepts.filter((concept) => viewsOf(concept, views).length > 0);
  if (shown.length < candidates)
    throw new EmacError(
      'data',
      `games: ${candidates} candidates need as many concepts with a view of the kind "${views}", got ${shown.length}`,
    );
  return shown.flatMap((concept) => {
    const own = viewsOf(concept, views);
    if (own.length < 2) return [];
    return own.map((image) => gameOf({ concept, image, shown }, { ...options, candidates }));
  });
}

interface Shown {
  readonly concept: Concept;
  readonly image: string;
  readonly shown: Catalogue;
}

function gameOf(
  { concept, image, shown }: Shown,
  { candidates, views, random, similarity }: GameOptions & { readonly candidates: number },
): LewisGame {
  const draws = random.stream(JSON.stringify([concept.category, concept.name, image]));
  const others = viewsOf(concept, views).filter((view) => view !== image);
  const target = similarity ? best(others, (view) => -similarity(image, view)) : draws.pick(others);
  const viewIn = (other: Concept): string => {
    const its = viewsOf(other, views);
    return similarity ? best(its, (each) => similarity(image, each)) : draws.pick(its);
  };
  const nearness = (other: Concept): number =>
    similarity ? similarity(image, viewIn(other)) : Number(other.category === concept.category);
  const rivals = draws
    .shuffle(shown.filter((other) => other !== concept))
    .map((other) => ({ other, near: nearness(other) }))
    // stable: equal rivals stay in drawn order
    .sort((a, b) => b.near - a.near)
    .slice(0, candidates - 1)
    .map(({ other }) => viewIn(other));
  const order = draws.shuffle([target, ...rivals]);
  return {
    category: concept.category,
    concept: concept.name,
    image,
    candidates: order,
    label: order.indexOf(target),
  };
}

/** The first of the best views. */
function best(views: readonly string[], worth: (view: string) => number): string {
  return views.reduce((found, view) => (worth(view) > worth(found) ? view : found));
}

function viewsOf({ train, test }: Concept, part: ViewPart): readonly string[] {
  return part === 'all' ? [...train, ...test] : part === 'train' ? train : test;
}

/** A candidate's label: A, B, C, …; numbers beyond 26. */
export function candidateName(place: number): string {
  return place < 26 ? String.fromCharCode(65 + place) : String(place + 1);
}
