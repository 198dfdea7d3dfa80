/**
 * What a frame shows, as one word for each query token: the receptacle faced and its number, whether it is open, what
 * is held and its state, then the objects in the order in which they are listed. Empty places hold the pad token.
 */
import type { VisibleObject, VisibleState } from '@emac/world';

const objectPlaces = 11;
export const descriptionLength = 5 + objectPlaces;

/** Sixteen words; null where there is nothing to say. */
export function describe(state: VisibleState): (string | null)[] {
  const [place] = state.facing;
  const contents = state.facing.flatMap((receptacle) => receptacle.contents);
  const words = [
    place?.class ?? null,
    place ? place.name.slice(place.class.length + 1) : null,
    place?.openable ? (place.open ? 'open' : 'closed') : null,
    state.held?.class ?? null,
    state.held ? stateWord(state.held) : null,
    ...contents.slice(0, objectPlaces).map((object) => object.class),
  ];
  return [...words, ...new Array<null>(descriptionLength - words.length).fill(null)];
}

function stateWord(object: VisibleObject): string | null {
  if (object.hot) return 'hot';
  if (object.cool) return 'cool';
  if (object.clean) return 'clean';
  return object.sliced ? 'sliced' : null;
}
