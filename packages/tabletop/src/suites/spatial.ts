/** Ten tasks with the same pair, a bowl and a tray. Two bowls look alike; the sentence names the meant one's place. */
import type { NumpyRandom } from '@emac/numpy-random';
import type { Scene } from '../scene.ts';
import { drawerPlace } from '../kinds.ts';
import {
  allPlaced,
  around,
  drawnUntilFree,
  emptyTable,
  placed,
  placedOn,
  withCabinet,
  withStove,
} from './layout.ts';
import type { TaskDesign } from './suite.ts';

type Put = (scene: Scene, name: string, random: NumpyRandom) => Scene | null;

interface Place {
  readonly words: string;
  readonly put: Put;
}

const beside =
  (of: string, x: number, y: number): Put =>
  (scene, name, random) => {
    const other = scene.things.find((thing) => thing.name === of)!;
    const area = { x: other.x + x, y: other.y + y, dx: 0.008, dy: 0.008 };
    return placed(scene, { kind: 'bowl', name, area, gap: 0.022 }, random);
  };

/** towards the middle of the table */
const besidePlate: Put = (scene, name, random) => {
  const isLeft = scene.things.find((thing) => thing.name === 'plate')!.x < 0;
  return beside('plate', isLeft ? 0.145 : -0.145, 0)(scene, name, random);
};

const upon =
  (on: string, reach: number): Put =>
  (scene, name, random) => {
    const spot = { on, x: around(random, reach), y: around(random, reach) };
    return placedOn(scene, { name, kind: 'bowl' }, spot);
  };

const inDrawer: Put = (scene, name, random) => {
  const spot = { on: 'drawer', x: around(random, 0.015), y: around(random, 0.004) - 0.009 };
  return placedOn(scene, { name, kind: 'bowl' }, spot);
};

const onStove: Put = (scene, name, random) => {
  const spot = { on: 'stove', x: around(random, 0.01) - 0.02, y: around(random, 0.01) + 0.015 };
  return placedOn(scene, { name, kind: 'bowl' }, spot);
};

const places: readonly Place[] = [
  { words: 'left of the mug', put: beside('mug', -0.115, 0) },
  { words: 'right of the mug', put: beside('mug', 0.115, 0) },
  { words: 'in front of the mug', put: beside('mug', 0, -0.105) },
  { words: 'behind the mug', put: beside('mug', 0, 0.105) },
  { words: 'beside the plate', put: besidePlate },
  { words: 'from the plate', put: upon('plate', 0.025) },
  { words: 'from the cabinet', put: upon('cabinet', 0.035) },
  { words: 'from the stove', put: onStove },
  { words: 'out of the drawer', put: inDrawer },
  { words: 'between the mug and the can', put: beside('mug', 0.102, 0) },
];
const drawer = 8;
const between = 9;

export const spatialTasks: readonly TaskDesign[] = places.map(({ words }, task) => ({
  text: `take the bowl ${words} and put it on the tray`,
  goals: [{ kind: 'on', thing: 'bowl', target: 'tray' }],
  draw: (random) => drawn(task, random),
}));

/**
 * The second bowl stands at another task's place; there is less room beside mug and can. Cabinet, stove and tray change
 * sides, so the sentence alone does not determine the motion.
 */
function drawn(task: number, random: NumpyRandom): Scene {
  const others = places
    .map((_, place) => place)
    .filter((place) => place !== task && place !== between && place !== drawer);
  const fitting = task === between ? others.filter((place) => ![0, 1, 3].includes(place)) : others;
  return drawnUntilFree(() => {
    const other = places[random.choice(fitting)]!;
    const base = furniture(random, task);
    const first = base && places[task]!.put(base, 'bowl', random);
    return first && other.put(first, 'other bowl', random);
  });
}

function furniture(random: NumpyRandom, task: number): Scene | null {
  const side = random.choice([-1, 1]);
  const cabinet = { x: -side * (0.24 + around(random, 0.015)), y: 0.185 + around(random, 0.008) };
  const stove = { x: side * (0.265 + around(random, 0.008)), y: 0.175 + around(random, 0.015) };
  const base = withStove(withCabinet(emptyTable, cabinet, task === drawer ? drawerPlace.reach : 0), stove);
  const tray = { x: 0.25 * side, y: -0.145, dx: 0.015, dy: 0.015 };
  const plate = { x: -0.25 * side, y: -0.165, dx: 0.02, dy: 0.015 };
  const mug = { x: task === between ? -0.09 : 0, y: 0.02, dx: 0.045, dy: 0.045 };
  const flat = [
    { kind: 'tray', area: tray, gap: 0.01 },
    { kind: 'plate', area: plate, gap: 0.01 },
    { kind: 'mug', area: mug },
  ] as const;
  const scene = allPlaced(base, flat, random);
  if (scene === null) return null;
  const { x, y } = scene.things.at(-1)!;
  const can =
    task === between ? { x: x + 0.205, y, dy: 0.008 } : { x: 0.04 * side, y: -0.21, dx: 0.05, dy: 0.01 };
  return placed(scene, { kind: 'can', area: can, gap: 0.005 }, random);
}
