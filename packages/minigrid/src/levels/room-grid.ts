/**
 * Rooms of one size in rows and columns that share their walls. Door positions in each wall are drawn first; doors and
 * objects are placed afterwards. Meanwhile the agent counts as standing in the middle of the grid.
 */
import { EmacError } from '@emac/core';
import { cellOf, door, empty, kindOf, kinds, sortedColours, type Cell, type Colour } from '../cell.ts';
import type { Rectangle } from '../grid.ts';
import type { Point, World } from '../world.ts';

export interface RoomGridSize {
  /** a room's side, walls counted */
  readonly roomSize: number;
  readonly rows: number;
  readonly columns: number;
}

/** Walls, doors and neighbours are counted right, down, left, up. */
interface Room extends Rectangle {
  /** whether the wall can be passed: it has a door, or there is no wall */
  readonly isConnected: boolean[];
  readonly doors: (Point | null)[];
  isLocked: boolean;
}

const neighbours = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;

export class RoomGrid {
  readonly #world: World;
  readonly #size: RoomGridSize;
  readonly #rooms: Room[][];

  /** Walls and the places of doors; the agent in the middle, looking right. */
  constructor(world: World, size: RoomGridSize) {
    this.#world = world;
    this.#size = size;
    const { roomSize, rows, columns } = size;
    const span = roomSize - 1;
    this.#rooms = Array.from({ length: rows }, (_, row) =>
      Array.from({ length: columns }, (_, column) => emptyRoom(column * span, row * span, roomSize)),
    );
    for (const room of this.#rooms.flat()) world.grid.surround(room);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) this.#drawDoorPlaces(column, row);
    const middle = (count: number) => Math.floor(count / 2) * span + Math.floor(roomSize / 2);
    world.putAgent(middle(columns), middle(rows));
  }

  /** Puts an object into a room, not next to the agent. */
  addThing(column: number, row: number, thing: Cell): void {
    const world = this.#world;
    const isNear = ({ x, y }: Point) => Math.abs(world.x - x) + Math.abs(world.y - y) < 2;
    world.place(thing, { within: this.#room(column, row), refuses: isNear, tries: 1000 });
  }

  /** Places a ball, box or key, of a drawn colour by default; returns it. */
  add(at: readonly [number, number], kind: 'ball' | 'box' | 'key', colour = this.#world.drawColour()): Cell {
    const thing = cellOf(kind, colour);
    this.addThing(...at, thing);
    return thing;
  }

  /** Locks a door of a random colour into a wall; returns its colour and place. */
  addLockedDoor(column: number, row: number, wall: number): { colour: Colour; place: number } {
    const colour = this.#world.drawColour();
    return { colour, place: this.#putDoor([column, row, wall], colour, true) };
  }

  /** Takes a wall between two rooms away. */
  removeWall(column: number, row: number, wall: number): void {
    const { x, y, width, height } = this.#room(column, row);
    const { grid } = this.#world;
    if (wall === 0) grid.vertical({ x: x + width - 1, y: y + 1, length: height - 2 }, empty);
    else if (wall === 1) grid.horizontal({ x: x + 1, y: y + height - 1, length: width - 2 }, empty);
    else if (wall === 2) grid.vertical({ x, y: y + 1, length: height - 2 }, empty);
    else grid.horizontal({ x: x + 1, y, length: width - 2 }, empty);
    this.#connect(column, row, wall);
  }

  /** Puts the agent into a room so that it faces nothing but a wall or an empty cell. */
  placeAgent(column: number, row: number): void {
    const world = this.#world;
    let front: Cell;
    do {
      world.placeAgent({ within: this.#room(column, row), tries: 1000 });
      front = world.grid.at(world.front.x, world.front.y);
    } while (front !== empty && kindOf(front) !== kinds.wall);
  }

  /** Puts closed doors into random walls until all rooms are to be reached from the agent's. Locked rooms get no other door. */
  connectAll(): void {
    const { rows, columns } = this.#size;
    const { random } = this.#world;
    for (let tried = 0; tried <= 5000; tried++) {
      if (this.#countReachable() === rows * columns) return;
      const [column, row] = [random.integers(0, columns), random.integers(0, rows)];
      const wall = random.integers(0, 4);
      const room = this.#room(column, row);
      if (!room.doors[wall] || room.isConnected[wall]) continue;
      if (room.isLocked || this.#neighbour(column, row, wall).isLocked) continue;
      this.#putDoor([column, row, wall], random.choice(sortedColours), false);
    }
    throw new EmacError('internal', 'minigrid: rooms not connected in 5000 tries; take another seed');
  }

  #room(column: number, row: number): Room {
    return this.#rooms[row]![column]!;
  }

  #neighbour(column: number, row: number, wall: number): Room {
    const [x, y] = neighbours[wall]!;
    return this.#room(column + x, row + y);
  }

  /** Draws positions on the right and lower walls; those on the left and upper walls belong to the neighbours. */
  #drawDoorPlaces(column: number, row: number): void {
    const { random } = this.#world;
    const { rows, columns } = this.#size;
    const { x, y, width, height, doors } = this.#room(column, row);
    const [right, bottom] = [x + width - 1, y + height - 1];
    if (column < columns - 1) doors[0] = { x: right, y: random.integers(y + 1, bottom) };
    if (row < rows - 1) doors[1] = { x: random.integers(x + 1, right), y: bottom };
    if (column > 0) doors[2] = this.#room(column - 1, row).doors[0]!;
    if (row > 0) doors[3] = this.#room(column, row - 1).doors[1]!;
  }

  #putDoor([column, row, wall]: [number, number, number], colour: Colour, isLocked: boolean): number {
    const { grid } = this.#world;
    const room = this.#room(column, row);
    const { x, y } = room.doors[wall]!;
    room.isLocked = isLocked;
    grid.set(x, y, door(colour, isLocked ? 'locked' : 'closed'));
    this.#connect(column, row, wall);
    return grid.placeOf(x, y);
  }

  #connect(column: number, row: number, wall: number): void {
    this.#room(column, row).isConnected[wall] = true;
    this.#neighbour(column, row, wall).isConnected[(wall + 2) % 4] = true;
  }

  #countReachable(): number {
    const span = this.#size.roomSize - 1;
    const reached = new Set<Room>();
    const waiting = [[Math.floor(this.#world.x / span), Math.floor(this.#world.y / span)] as const];
    for (let at = waiting.pop(); at; at = waiting.pop()) {
      const [column, row] = at;
      const room = this.#room(column, row);
      if (reached.has(room)) continue;
      reached.add(room);
      for (const [wall, [x, y]] of neighbours.entries())
        if (room.isConnected[wall]) waiting.push([column + x, row + y]);
    }
    return reached.size;
  }
}

function emptyRoom(x: number, y: number, size: number): Room {
  const doors = [null, null, null, null];
  return { x, y, width: size, height: size, doors, isConnected: doors.map(() => false), isLocked: false };
}
