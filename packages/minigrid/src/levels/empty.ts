/** An empty room with the goal in its lower right corner; the agent starts in the upper left one, or anywhere. */
import { goal } from '../cell.ts';
import type { World } from '../world.ts';

export function emptyRoom(world: World, startsAnywhere: boolean): void {
  const { grid } = world;
  grid.surround();
  grid.set(grid.width - 2, grid.height - 2, goal);
  if (startsAnywhere) world.placeAgent();
  else world.putAgent(1, 1);
  world.mission = 'get to the green goal square';
}
