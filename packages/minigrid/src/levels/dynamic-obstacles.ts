/** An empty room with blue balls that move. */
import { cellOf } from '../cell.ts';
import type { World } from '../world.ts';
import { emptyRoom } from './empty.ts';

export interface Obstacles {
  readonly count: number;
  readonly startsAnywhere: boolean;
}

export function dynamicObstacles(world: World, { count, startsAnywhere }: Obstacles): void {
  emptyRoom(world, startsAnywhere);
  const obstacles = Array.from({ length: count }, () => {
    const { x, y } = world.place(cellOf('ball', 'blue'), { tries: 100 });
    return world.grid.placeOf(x, y);
  });
  world.aim = { kind: 'dodge', obstacles };
}
