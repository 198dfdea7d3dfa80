/** The kind of room, from its receptacles. */
import type { RoomKind } from './frame/visible-state.ts';

/** The first kind with one of these classes present; the order matters (sofas stand in bedrooms too). */
const signs: readonly (readonly [RoomKind, readonly string[]])[] = [
  ['kitchen', ['fridge', 'microwave', 'stoveburner']],
  ['bathroom', ['toilet', 'bathtubbasin', 'toiletpaperhanger', 'towelholder', 'handtowelholder']],
  ['bedroom', ['bed']],
  ['livingroom', ['sofa', 'armchair', 'coffeetable', 'tvstand', 'ottoman', 'diningtable']],
];

/** The room of a set of receptacle classes (lower case); null if undetermined. */
export function roomOf(receptacleClasses: Iterable<string>): RoomKind | null {
  const present = new Set(receptacleClasses);
  return signs.find(([, classes]) => classes.some((each) => present.has(each)))?.[0] ?? null;
}
