/**
 * A room for the generator: receptacles with ids in ALFWorld's form (`Cabinet_bar__plus_00_dot_68_…`: class and
 * coordinates with signs spelled out), their locations, free standing places, and the room's object classes. It depends
 * only on the room's name.
 */
import { EmacError, Random } from '@emac/core';
import type { RoomKind } from '../frame/visible-state.ts';
import { copiesByKind } from './copies-table.ts';
import { drawnLayout } from './drawn-layout.ts';
import { trainRooms, unseenRooms } from './room-table.ts';

export interface RoomReceptacle {
  readonly id: string;
  readonly class: string;
  readonly openable: boolean;
  readonly location: string;
}

export interface Room {
  readonly name: string;
  readonly kind: RoomKind;
  readonly receptacles: readonly RoomReceptacle[];
  /** locations without a receptacle */
  readonly freeLocations: readonly string[];
  /** object classes that live in this room */
  readonly objectClasses: readonly string[];
}

export type Split = 'train' | 'valid_seen' | 'valid_unseen';

const tables: Readonly<Record<Split, Readonly<Record<RoomKind, Readonly<Record<string, string>>>>>> = {
  train: trainRooms,
  valid_seen: trainRooms,
  valid_unseen: unseenRooms,
};

/** The rooms a split plays in, by kind; `valid_seen` shares the rooms of `train`. */
export function roomNames(split: Split, kind: RoomKind): readonly string[] {
  return Object.keys(tables[split][kind]);
}

const kindLetters: Readonly<Record<string, RoomKind>> = {
  K: 'kitchen',
  L: 'livingroom',
  B: 'bedroom',
  W: 'bathroom',
};

/** Rooms of the table that were asked for: a suite plays thousands of games in about a hundred rooms. */
const built = new Map<string, Room>();

/** A room by name, from the room table or, from number 100 on, drawn from its name; any other name is a usage error. */
export function roomByName(name: string): Room {
  const before = built.get(name);
  if (before) return before;
  for (const table of [trainRooms, unseenRooms])
    for (const [kind, rooms] of Object.entries(table) as [RoomKind, Readonly<Record<string, string>>][])
      if (Object.hasOwn(rooms, name)) {
        const room = buildRoom(name, kind, rooms[name]!);
        built.set(name, room);
        return room;
      }
  const [, letter, number] = /^([KLBW])([1-9]\d{2,8})$/.exec(name) ?? [];
  if (letter !== undefined) {
    const kind = kindLetters[letter]!;
    return buildRoom(name, kind, drawnLayout(kind, Random.fromSeed(`layout/${letter}${number}`)));
  }
  throw new EmacError(
    'usage',
    `room: there is no '${name}'; use K1–K13, L1–L13, B1–B13 or W1–W13, or a number from 100 on for a drawn room, such as K100`,
  );
}

function buildRoom(name: string, kind: RoomKind, layout: string): Room {
  const random = Random.fromSeed(`room/${name}`);
  const locations = drawLocations(random.stream('locations'));
  const ids = idDrawer(random.stream('ids'));
  const receptacles: RoomReceptacle[] = [];
  for (const place of placesOf(layout)) {
    const location = locations();
    for (const { class: name_, openable } of place)
      receptacles.push({ id: ids(name_), class: name_, openable, location });
  }
  const freeLocations = Array.from({ length: 8 }, locations);
  return {
    name,
    kind,
    receptacles,
    freeLocations,
    objectClasses: residents(kind, random.stream('residents')),
  };
}

/** '2 Cabinet & Drawer+; Bed' → three places. */
function placesOf(layout: string): { class: string; openable: boolean }[][] {
  return layout.split('; ').flatMap((entry) => {
    const [, number, text] = /^(?:(\d+) )?(.*)$/.exec(entry)!;
    const place = text!.split(' & ').map((item) => ({
      class: item.replace('+', ''),
      openable: item.endsWith('+'),
    }));
    return Array.from({ length: Number(number ?? 1) }, () => place);
  });
}

function residents(kind: RoomKind, random: Random): string[] {
  const shares = Object.entries(copiesByKind[kind] as Readonly<Record<string, readonly number[]>>);
  return shares.filter(([, [percent]]) => random.uniform() * 100 < percent!).map(([name]) => name);
}

const escaped = (text: string): string =>
  text.replaceAll('|', '_bar_').replaceAll('+', '_plus_').replaceAll('-', '_minus_').replaceAll('.', '_dot_');

/** Draws agent poses (quarter metres, quarter turns, degrees), each at most once. */
function drawLocations(random: Random): () => string {
  const used = new Set<string>();
  return () => {
    for (;;) {
      const [x, z] = [random.integer(25) - 12, random.integer(25) - 12];
      const pose = escaped(`loc|${x}|${z}|${random.integer(4)}|${random.pick([0, 15, 30, 45, 60])}`);
      if (used.has(`${x} ${z}`)) continue;
      used.add(`${x} ${z}`);
      return pose;
    }
  };
}

function coordinate(random: Random, metres: number): string {
  const value = Math.round((random.uniform() * 2 - 1) * metres * 100) / 100;
  const sign = value > 0 ? '+' : value < 0 ? '-' : '';
  return sign + Math.abs(value).toFixed(2).padStart(5, '0');
}

/** Draws instance ids of a class, each at most once; basins are named after their sink or bathtub. */
export function idDrawer(random: Random): (name: string) => string {
  const used = new Set<string>();
  return (name) => {
    for (;;) {
      const at = `|${coordinate(random, 3.2)}|${coordinate(random, 2)}|${coordinate(random, 3.2)}`;
      if (used.has(at)) continue;
      used.add(at);
      return escaped(name.endsWith('Basin') ? `${name.slice(0, -5)}${at}|${name}` : name + at);
    }
  };
}
