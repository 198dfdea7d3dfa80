/** A room of keys and balls; the mission is to fetch one of them. */
import { cellOf, nameOf } from '../cell.ts';
import type { World } from '../world.ts';

const sentences = ['get a', 'go get a', 'fetch a', 'go fetch a', 'you must fetch a'];

export function fetch(world: World, count: number): void {
  const { grid, random } = world;
  grid.surround();
  const things = Array.from({ length: count }, () => {
    const kind = random.choice(['key', 'ball'] as const);
    const thing = cellOf(kind, world.drawColour());
    world.place(thing);
    return thing;
  });
  world.placeAgent();
  const thing = random.choice(things);
  world.aim = { kind: 'fetch', thing };
  world.mission = `${random.choice(sentences)} ${nameOf(thing)}`;
}
