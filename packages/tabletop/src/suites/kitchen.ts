/**
 * The scene of the suites `goal` and `long`: cabinet, stove and plate, each on either side, and things in between that
 * do not block the drawer.
 */
import type { NumpyRandom } from '@emac/numpy-random';
import { drawerPlace, type KindName } from '../kinds.ts';
import type { Scene } from '../scene.ts';
import {
  allPlaced,
  around,
  drawnUntilFree,
  emptyTable,
  withCabinet,
  withStove,
  type Placing,
} from './layout.ts';

export interface Kitchen {
  readonly things: readonly KindName[];
  /** whether the drawer is pulled at the beginning */
  readonly isOpen: boolean;
}

export function kitchenScene({ things, isOpen }: Kitchen, random: NumpyRandom): Scene {
  const side = random.choice([-1, 1]);
  const area = { x: 0.02 * side, y: -0.06, dx: 0.1, dy: 0.16, yaw: 0.5 };
  const plate: Placing = { kind: 'plate', area: { x: 0.2 * side, y: -0.13, dx: 0.045, dy: 0.035 } };
  const loose = things.map((kind): Placing => ({ kind, area, gap: 0.032 }));
  const pull = isOpen ? drawerPlace.reach : 0;
  return drawnUntilFree(() => {
    const cabinet = { x: -side * (0.24 + around(random, 0.02)), y: 0.175 + around(random, 0.012) };
    const stove = { x: side * (0.24 + around(random, 0.03)), y: 0.155 + around(random, 0.025) };
    const furniture = withStove(withCabinet(emptyTable, cabinet, pull), stove);
    return allPlaced(furniture, [plate, ...loose], random);
  });
}
