/**
 * Which concepts are trained on. A concept's place is named by a hash of the seed, its category and its name: the same on every machine and in every process
 * (the published split uses Python's `hash`, which is not), and nearly the same after others were added.
 */
import { Random } from '@emac/core';
import type { Catalogue } from './catalogue.ts';

export interface Split {
  readonly training: Catalogue;
  /** never seen in training, neither as what is described nor beside it */
  readonly heldOut: Catalogue;
}

export interface SplitOptions {
  readonly seed: number | string;
  /** of the concepts of each category, rounded; of two or more at least one goes to each side; default 0.65, as published */
  readonly trainingShare?: number;
}

/** Both parts in the catalogue's order. */
export function splitConcepts(catalogue: Catalogue, { seed, trainingShare = 0.65 }: SplitOptions): Split {
  const training = new Set<Catalogue[number]>();
  for (const category of new Set(catalogue.map((concept) => concept.category))) {
    const ofCategory = catalogue.filter((concept) => concept.category === category);
    const order = ofCategory
      .map((concept) => ({ concept, hash: hashOf(seed, [category, concept.name]) }))
      .sort((a, b) => a.hash - b.hash);
    const rounded = Math.round(trainingShare * order.length);
    const count = order.length < 2 ? order.length : Math.min(Math.max(rounded, 1), order.length - 1);
    for (const { concept } of order.slice(0, count)) training.add(concept);
  }
  return {
    training: catalogue.filter((concept) => training.has(concept)),
    heldOut: catalogue.filter((concept) => !training.has(concept)),
  };
}

/** From 0 to below 1. */
function hashOf(seed: number | string, names: readonly string[]): number {
  return Random.fromSeed(JSON.stringify([seed, ...names])).uniform();
}
