/**
 * What a frame shows, as one slot for each query token, each of up to three words: the receptacle faced, its number and
 * whether it is open; what is held, its number and state; then the objects in the order in which they are listed. The
 * language model is given the sum of the words' vectors; a slot with nothing to say holds the pad token.
 */
import type { VisibleObject, VisibleState } from '@emac/world';

export const slotCount = 16;

/** Of the objects at a place, those that there are slots for. */
export const shownObjects = slotCount - 2;

/** Words of one slot: class, number, state; null where there is none. */
export type Slot = readonly [name: string | null, number: string | null, state: string | null];

export const emptySlot: Slot = [null, null, null];

/** Words that may stand for a state. */
export const stateWords = ['open', 'closed', 'hot', 'cool', 'clean', 'sliced'] as const;

/** The slots of what is visible. */
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
