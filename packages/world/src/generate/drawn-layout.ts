/** Layouts of unlisted rooms, drawn from the parts of the training rooms. */
import type { Random } from '@emac/core';
import type { RoomKind } from '../frame/visible-state.ts';
import { trainRooms } from './room-table.ts';

/**
 * A layout in the room table's form. For each receptacle class one training room is drawn; its entries of that class
 * are taken with slightly changed numbers, or none if it has none.
 */
export function drawnLayout(kind: RoomKind, random: Random): string {
  const rooms = Object.values(trainRooms[kind]).map((layout) => layout.split('; '));
  const classes = new Set(rooms.flat().map(firstClass));
  const entries = [...classes].flatMap((name) =>
    random.pick(rooms).filter((entry) => firstClass(entry) === name),
  );
  return entries.map((entry) => renumbered(entry, random)).join('; ');
}

/** '2 Cabinet & Drawer+' → 'Cabinet' */
function firstClass(entry: string): string {
  return /^(?:\d+ )?([A-Za-z]+)/.exec(entry)![1]!;
}

/** Two or more become up to two more or fewer, one sometimes two. */
function renumbered(entry: string, random: Random): string {
  const [, number, place] = /^(?:(\d+) )?(.*)$/.exec(entry)!;
  const count = Number(number ?? 1);
  const changed = count === 1 ? (random.uniform() < 0.15 ? 2 : 1) : count - 2 + random.integer(5);
  return `${Math.max(1, changed)} ${place}`;
}
