/** The scene of the suites `goal` and `long`: cabinet, stove and plate, and things in between, none in the way of the drawer. */
import type { NumpyRandom } from '@emac/numpy-random';
import { drawerPlace, type KindName } from '../kinds.ts';
import type { Scene } from '../scene.ts';
import { around, emptyTable, placed, withCabinet, withStove } from './layout.ts';

export interface Kitchen {
  readonly things: readonly KindName[];
  /** whether the drawer is pulled at the beginning */
  readonly isOpen: boolean;
}

export function kitchenScene({ things, isOpen }: Kitchen, random: NumpyRandom): Scene {
  const cabinet = { x: -0.24 + around(random, 0.01), y: 0.17 + around(random, 0.005) };
  const stove = { x: 0.25 + around(random, 0.01), y: 0.16 + around(random, 0.01) };
  const plate = { x: 0.2, y: -0.13, dx: 0.04, dy: 0.02 };
  let scene = withStove(withCabinet(emptyTable, cabinet, isOpen ? drawerPlace.reach : 0), stove);
  scene = placed(scene, { kind: 'plate', area: plate }, random);
  for (const kind of things) {
    const area = { x: 0, y: -0.06, dx: 0.1, dy: 0.16, yaw: 0.5 };
    scene = placed(scene, { kind, area, gap: 0.032 }, random);
  }
  return scene;
}
