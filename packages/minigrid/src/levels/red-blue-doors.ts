/** A room between a red door on the left and a blue one on the right: open the red one, then the blue one. */
import { door, type Colour } from '../cell.ts';
import type { World } from '../world.ts';

export function redBlueDoors(world: World): void {
  const { grid, random } = world;
  const size = grid.height;
  const left = Math.floor(size / 2);
  const room = { x: left, y: 0, width: size, height: size };
  grid.surround();
  grid.surround(room);
  world.placeAgent({ within: room });
  const put = (x: number, colour: Colour): number => {
    const y = random.integers(1, size - 1);
    grid.set(x, y, door(colour, 'closed'));
    return grid.placeOf(x, y);
  };
  const first = put(left, 'red');
  const second = put(left + size - 1, 'blue');
  world.aim = { kind: 'open-in-order', first, second };
  world.mission = 'open the red door then the blue door';
}
