/** Two rooms with a locked door between them; the key lies on the agent's side, the goal on the other. */
import { cellOf, door, goal } from '../cell.ts';
import type { World } from '../world.ts';

export function doorKey(world: World): void {
  const { grid, random } = world;
  const { width, height } = grid;
  grid.surround();
  grid.set(width - 2, height - 2, goal);
  const split = random.integers(2, width - 2);
  grid.vertical({ x: split, y: 0, length: height });
  const within = { x: 0, y: 0, width: split, height };
  world.placeAgent({ within });
  grid.set(split, random.integers(1, height - 2), door('yellow', 'locked'));
  world.place(cellOf('key', 'yellow'), { within });
  world.mission = 'use the key to open the door and then get to the goal';
}
