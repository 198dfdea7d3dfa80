/** The missions in grids of rooms: open a locked door, or fetch the object behind it. */
import { nameOf } from '../cell.ts';
import type { World } from '../world.ts';
import { RoomGrid, type RoomGridSize } from './room-grid.ts';

/** Two rooms; the key lies in the agent's. */
export function unlock(world: World, size: RoomGridSize): void {
  const rooms = new RoomGrid(world, size);
  const { colour, place } = rooms.addLockedDoor(0, 0, 0);
  rooms.add([0, 0], 'key', colour);
  rooms.placeAgent(0, 0);
  world.aim = { kind: 'open', door: place };
  world.mission = 'open the door';
}

/** The same with a box in the other room. */
export function unlockPickUp(world: World, size: RoomGridSize): void {
  const rooms = new RoomGrid(world, size);
  const thing = rooms.add([1, 0], 'box');
  const { colour } = rooms.addLockedDoor(0, 0, 0);
  rooms.add([0, 0], 'key', colour);
  rooms.placeAgent(0, 0);
  world.aim = { kind: 'pick-up', thing };
  world.mission = `pick up the ${nameOf(thing)}`;
}

/** A corridor with rooms on both sides: the ball is in a locked one on the right, the key in one on the left. */
export function keyCorridor(world: World, size: RoomGridSize): void {
  const { random } = world;
  const rooms = new RoomGrid(world, size);
  for (let row = 1; row < size.rows; row++) rooms.removeWall(1, row, 3);
  const row = random.integers(0, size.rows);
  const { colour } = rooms.addLockedDoor(2, row, 2);
  const thing = rooms.add([2, row], 'ball');
  rooms.add([0, random.integers(0, size.rows)], 'key', colour);
  rooms.placeAgent(1, Math.floor(size.rows / 2));
  rooms.connectAll();
  world.aim = { kind: 'pick-up', thing };
  world.mission = `pick up the ${nameOf(thing)}`;
}
