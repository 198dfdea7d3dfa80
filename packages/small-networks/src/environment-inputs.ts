/** How the arrays of the environments that come with this product are read: every number is one of a few, and one place in a list of zeros. */
import { EmacError } from '@emac/core';
import type { ArrayInput } from './array-inputs.ts';

const oneHot = (array: string, size: number, categories: readonly number[]): ArrayInput => ({
  array,
  encode: 'one-hot',
  size,
  categories,
});

const cards: Readonly<Record<string, readonly ArrayInput[]>> = {
  // target and current
  'gym_cards/NumberLine-v0': [oneHot('numbers', 2, [6])],
  // two cards; six places of 13 tokens, blank and nothing
  'gym_cards/EZPoints-v0': [oneHot('numbers', 2, [11]), oneHot('formula', 6, [15])],
  // four cards; 21 places of 17 tokens, blank and nothing
  'gym_cards/Points24-v0': [oneHot('numbers', 4, [11]), oneHot('formula', 21, [19])],
  // own total, dealer's card, whether an ace counts 11
  'gym_cards/Blackjack-v0': [oneHot('hand', 3, [32, 11, 2])],
};

/** The partial view, what is carried in the agent's own cell, and where the agent looks. */
const view = [oneHot('image', 147, [11, 6, 3]), oneHot('direction', 1, [4])];

/** Of a published id. Errors: `usage` for one that is not known. */
export function environmentInputs(id: string): readonly ArrayInput[] {
  if (id.startsWith('MiniGrid-')) return view;
  if (Object.hasOwn(cards, id)) return cards[id]!;
  throw new EmacError('usage', `small network: knows no arrays of ${id}; give its inputs`);
}
