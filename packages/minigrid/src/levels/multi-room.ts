/**
 * A chain of rooms, each entered through the door of the one before. If a chain gets stuck, the longest so far is kept
 * and another begun, until one is long enough.
 */
import { door, goal, sortedColours, type Colour } from '../cell.ts';
import type { Rectangle } from '../grid.ts';
import type { Point, World } from '../world.ts';

export interface Chain {
  readonly rooms: number;
  /** the longest side of a room, walls counted */
  readonly maxRoomSize: number;
}

interface Room extends Rectangle {
  readonly entry: Point;
}

const minRoomSize = 4;

export function multiRoom(world: World, chain: Chain): void {
  const { grid, random } = world;
  // the published package draws the number of rooms even if there is one choice
  let rooms: Room[] = [];
  while (rooms.length < chain.rooms) {
    const found: Room[] = [];
    const entry = { x: random.integers(0, grid.width - 2), y: random.integers(0, grid.width - 2) };
    extend(world, { left: chain.rooms, rooms: found, wall: 2, entry, maxRoomSize: chain.maxRoomSize });
    if (found.length > rooms.length) rooms = found;
  }
  let before: Colour | null = null;
  for (const [number, room] of rooms.entries()) {
    grid.surround(room);
    if (number === 0) continue;
    before = random.choice(sortedColours.filter((colour) => colour !== before));
    grid.set(room.entry.x, room.entry.y, door(before, 'closed'));
  }
  world.placeAgent({ within: rooms[0]! });
  world.place(goal, { within: rooms.at(-1)! });
  world.mission = 'traverse the rooms to get to the goal';
}

interface Extension {
  /** rooms wanted, this one counted */
  readonly left: number;
  /** the chain so far, extended in place */
  readonly rooms: Room[];
  /** side of the new room with its entry: 0 right, 1 down, 2 left, 3 up */
  readonly wall: number;
  readonly entry: Point;
  readonly maxRoomSize: number;
}

/** Adds a room and its successors; false if it does not fit. A chain that gets stuck later counts as added. */
function extend(world: World, { left, rooms, wall, entry, maxRoomSize }: Extension): boolean {
  const { random } = world;
  const side = () => random.integers(minRoomSize, maxRoomSize + 1);
  const size = { width: side(), height: side() };
  const room = { ...cornerOf(world, { ...size, wall, entry, isFirst: rooms.length === 0 }), ...size, entry };
  if (!fits(world, room, rooms)) return false;
  rooms.push(room);
  if (left === 1) return true;
  const walls = [0, 1, 2, 3].filter((each) => each !== wall);
  for (let tried = 0; tried < 8; tried++) {
    const exitWall = random.choice(walls);
    const exit = drawExit(world, room, exitWall);
    const next = { left: left - 1, rooms, wall: (exitWall + 2) % 4, entry: exit, maxRoomSize };
    if (extend(world, next)) break;
  }
  return true;
}

interface Corner {
  readonly width: number;
  readonly height: number;
  readonly wall: number;
  readonly entry: Point;
  readonly isFirst: boolean;
}

/** A random upper left corner for a room with its entry in the given wall; the first room begins at its entry. */
function cornerOf({ random }: World, { width, height, wall, entry, isFirst }: Corner): Point {
  if (isFirst) return entry;
  const along = (at: number, length: number) => random.integers(at - length + 2, at);
  if (wall === 0) return { x: entry.x - width + 1, y: along(entry.y, height) };
  if (wall === 1) return { x: along(entry.x, width), y: entry.y - height + 1 };
  if (wall === 2) return { x: entry.x, y: along(entry.y, height) };
  return { x: along(entry.x, width), y: entry.y };
}

/** Inside the grid, with its last row free, and not overlapping other rooms except the one it is entered from. */
function fits({ grid }: World, { x, y, width, height }: Rectangle, rooms: readonly Room[]): boolean {
  if (x < 0 || y < 0 || x + width > grid.width || y + height >= grid.height) return false;
  return rooms
    .slice(0, -1)
    .every(
      (other) =>
        x + width < other.x ||
        other.x + other.width <= x ||
        y + height < other.y ||
        other.y + other.height <= y,
    );
}

function drawExit({ random }: World, { x, y, width, height }: Rectangle, wall: number): Point {
  if (wall === 0) return { x: x + width - 1, y: y + random.integers(1, height - 1) };
  if (wall === 1) return { x: x + random.integers(1, width - 1), y: y + height - 1 };
  if (wall === 2) return { x, y: y + random.integers(1, height - 1) };
  return { x: x + random.integers(1, width - 1), y };
}
