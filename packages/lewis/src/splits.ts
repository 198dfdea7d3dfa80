/**
 * Splits concepts into training and held-out ones. Each concept is placed by a hash of seed, category and name. So the
 * split is equal on every machine (Python's `hash`, in the published split, is not), and adding concepts hardly changes
 * it.
 */
import { Random } from '@emac/core';
import type { Catalogue } from './catalogue.ts';

export interface Split {
  readonly training: Catalogue;
  /** never seen in training, neither as subject nor as rival */
  readonly heldOut: Catalogue;
}

export interface SplitOptions {
  readonly seed: number | string;
  /** of each category's concepts, rounded; with two or more, each side gets at least one; default 0.65, as published */
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
