/**
 * A frame's content as one slot per query token, each of up to three words: the faced receptacle with number and door
 * state; the held object with number and state; then the objects in listed order. The language model gets the sum of
 * the words' vectors; an empty slot holds the pad token.
 */
import type { VisibleObject, VisibleState } from '@emac/world';

export const slotCount = 16;

/** Number of objects at a place that have slots. */
export const shownObjects = slotCount - 2;

/** Words of one slot: class, number, state; null for none. */
export type Slot = readonly [name: string | null, number: string | null, state: string | null];

export const emptySlot: Slot = [null, null, null];

/** Words that may stand for a state. */
export const stateWords = ['open', 'closed', 'hot', 'cool', 'clean', 'sliced'] as const;

/** The slots of a visible state. */
export function slotsOf({ facing, held }: VisibleState): Slot[] {
  const [place] = facing;
  const objects = facing.flatMap(({ contents }) => contents);
  const slots: Slot[] = [
    place ? named(place, place.openable ? (place.open ? 'open' : 'closed') : null) : emptySlot,
    held ? objectSlot(held) : emptySlot,
    ...objects.slice(0, shownObjects).map(objectSlot),
  ];
  return [...slots, ...new Array<Slot>(slotCount - slots.length).fill(emptySlot)];
}

function objectSlot(object: VisibleObject): Slot {
  return named(object, stateWord(object));
}

function named(thing: { readonly name: string; readonly class: string }, state: string | null): Slot {
  return [thing.class, thing.name.slice(thing.class.length + 1), state];
}

function stateWord({ hot, cool, clean, sliced }: VisibleObject): string | null {
  if (hot) return 'hot';
  if (cool) return 'cool';
  if (clean) return 'clean';
  return sliced ? 'sliced' : null;
}
