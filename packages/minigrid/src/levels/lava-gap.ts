/** A strip of lava from top to bottom with one gap. */
import { empty, goal, lava } from '../cell.ts';
import type { World } from '../world.ts';

export function lavaGap(world: World): void {
  const { grid, random } = world;
  const { width, height } = grid;
  grid.surround();
  world.putAgent(1, 1);
  grid.set(width - 2, height - 2, goal);
  const [x, y] = [random.integers(2, width - 2), random.integers(1, height - 1)];
  grid.vertical({ x, y: 1, length: height - 2 }, lava);
  grid.set(x, y, empty);
  world.mission = 'avoid the lava and get to the green goal square';
}
