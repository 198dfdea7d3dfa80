/** Four rooms around a cross of walls with four openings; agent and goal anywhere. */
import { empty, goal } from '../cell.ts';
import type { World } from '../world.ts';

export function fourRooms(world: World): void {
  const { grid, random } = world;
  grid.surround();
  const [width, height] = [Math.floor(grid.width / 2), Math.floor(grid.height / 2)];
  for (const y of [0, height])
    for (const x of [0, width]) {
      if (x === 0) {
        grid.vertical({ x: width, y, length: height });
        grid.set(width, random.integers(y + 1, y + height), empty);
      }
      if (y === 0) {
        grid.horizontal({ x, y: height, length: width });
        grid.set(random.integers(x + 1, x + width), height, empty);
      }
    }
  world.placeAgent();
  world.place(goal);
  world.mission = 'reach the goal';
}
