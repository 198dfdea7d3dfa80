/** Ten tasks with ten things: one goes into the basket, four others are distractors. */
import type { NumpyRandom } from '@emac/numpy-random';
import type { KindName } from '../kinds.ts';
import type { Scene } from '../scene.ts';
import { allPlaced, drawnUntilFree, emptyTable, type Placing } from './layout.ts';
import type { TaskDesign } from './suite.ts';

const things = [
  'can',
  'carton',
  'bottle',
  'box',
  'sponge',
  'lemon',
  'apple',
  'jar',
  'mug',
  'cup',
] as const satisfies readonly KindName[];

export const objectTasks: readonly TaskDesign[] = things.map((thing) => ({
  text: `put the ${thing} in the basket`,
  goals: [{ kind: 'in', thing, target: 'basket' }],
  draw: (random) =>
    basketScene([thing, ...random.shuffle(things.filter((each) => each !== thing)).slice(0, 4)], random),
}));

/** A basket on the right, things on the left. */
export function basketScene(kinds: readonly KindName[], random: NumpyRandom): Scene {
  const basket: Placing = { kind: 'basket', area: { x: 0.22, y: 0, dx: 0.02, dy: 0.06 } };
  const area = { x: -0.13, y: 0, dx: 0.2, dy: 0.19, yaw: 0.7 };
  const things = kinds.map((kind): Placing => ({ kind, area, gap: 0.055 }));
  return drawnUntilFree(() => allPlaced(emptyTable, [basket, ...things], random));
}
