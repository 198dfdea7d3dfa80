/**
 * Puts objects into a room: the number of copies of each class, and the receptacle of each, drawn from the counts of
 * ALFWorld's train games. As there, some things lie on two receptacles at once (a mug in a coffee machine on a
 * counter). The task's objects are adjusted: enough copies, none that already counts, and a lamp on some receptacle.
 */
import type { Random } from '@emac/core';
import { canContain, propertyClasses } from './affordances.ts';
import { weightsOf } from './choose-task.ts';
import type { GameTask } from './choose-task.ts';
import { copiesByKind } from './copies-table.ts';
import { placesByKind } from './places-table.ts';
import { idDrawer } from './room.ts';
import type { Room, RoomReceptacle } from './room.ts';

export interface PlacedObject {
  readonly id: string;
  readonly class: string;
  /** the receptacles it is in: none, one, or two that touch */
  readonly places: readonly RoomReceptacle[];
  readonly location: string;
  /** starts cool, since its receptacle is the fridge */
  readonly cool: boolean;
}

/** Every object of a new game, in no particular order. */
export function furnish(task: GameTask, random: Random): PlacedObject[] {
  const { room } = task;
  const classes = new Set([...room.objectClasses, task.object]);
  if (task.type === 'look_at_obj_in_light') classes.add(task.target);
  const ids = idDrawer(random.stream('ids'));
  return [...classes].flatMap((name) => {
    const stream = random.stream(name);
    return Array.from({ length: drawCopies(task, name, stream) }, () =>
      placeObject(task, { id: ids(name), name }, stream),
    );
  });
}

function drawCopies(task: GameTask, name: string, random: Random): number {
  const shares = (copiesByKind[task.room.kind] as Readonly<Record<string, readonly number[]>>)[name];
  const copies = shares === undefined ? 1 : random.weightedIndex(shares.slice(1)) + 1;
  return name === task.object && task.type === 'pick_two_obj_and_place' ? Math.max(2, copies) : copies;
}

function placeObject(
  task: GameTask,
  { id, name }: { readonly id: string; readonly name: string },
  random: Random,
): PlacedObject {
  const placeClass = drawPlaceClass(task, name, random);
  const { room } = task;
  if (placeClass === null)
    return { id, class: name, places: [], location: random.pick(room.freeLocations), cool: false };
  const place = random.pick(room.receptacles.filter((receptacle) => receptacle.class === placeClass));
  const second = name === task.object ? null : touching(room, { place, name }, random);
  const cool = name === task.object && place.class === 'Fridge';
  return { id, class: name, places: second ? [place, second] : [place], location: place.location, cool };
}

/** The receptacle class of one copy, or null for none, by the counted shares and the class's affordances. */
function drawPlaceClass(task: GameTask, name: string, random: Random): string | null {
  const present = new Set(task.room.receptacles.map((receptacle) => receptacle.class));
  const needed = name === task.object || (task.type === 'look_at_obj_in_light' && name === task.target);
  const allowed = (place: string): boolean =>
    place === 'none' ? !needed : present.has(place) && !(name === task.object && isForbidden(task, place));
  const text = (placesByKind[task.room.kind] as Readonly<Record<string, string>>)[name] ?? '';
  const shares = weightsOf(text).filter(([place]) => allowed(place));
  const movable = propertyClasses.pickupable.includes(name);
  const holders = [...present].filter(
    (place) => allowed(place) && canContain[place]?.includes(name) === true,
  );
  const known = movable ? shares.filter(([place]) => place === 'none' || holders.includes(place)) : shares;
  const choices =
    known.length > 0 ? known : movable ? holders.map((place): [string, number] => [place, 1]) : [];
  if (choices.length === 0) return null;
  const drawn = choices[random.weightedIndex(choices.map(([, weight]) => weight))]![0];
  return drawn === 'none' ? null : drawn;
}

/** Forbidden places of a task's object: where it would already count, and the fridge if it is to be cooled. */
function isForbidden(task: GameTask, place: string): boolean {
  if (task.type === 'pick_cool_then_place_in_recep') return place === 'Fridge';
  const plain = task.type === 'pick_and_place_simple' || task.type === 'pick_two_obj_and_place';
  return plain && place === task.target;
}

/** Three in ten mugs in a coffee machine also lie on a counter, and pans on a burner on the next burner. */
function touching(
  room: Room,
  { place, name }: { readonly place: RoomReceptacle; readonly name: string },
  random: Random,
): RoomReceptacle | null {
  const other = { CoffeeMachine: 'CounterTop', StoveBurner: 'StoveBurner' }[place.class];
  if (other === undefined || canContain[other]?.includes(name) !== true || random.uniform() >= 0.3)
    return null;
  const others = room.receptacles.filter((receptacle) => receptacle.class === other && receptacle !== place);
  return others.length === 0 ? null : random.pick(others);
}
