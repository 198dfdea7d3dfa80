/** Ten tasks with the same pair, a bowl and a tray: two bowls look alike, and where it stands tells which one is meant. */
import type { NumpyRandom } from '@emac/numpy-random';
import type { Scene } from '../scene.ts';
import { around, emptyTable, placed, placedOn, withCabinet, withStove } from './layout.ts';
import type { TaskDesign } from './suite.ts';

type Put = (scene: Scene, name: string, random: NumpyRandom) => Scene;

interface Place {
  readonly words: string;
  readonly put: Put;
}

const beside =
  (of: string, x: number, y: number): Put =>
  (scene, name, random) => {
    const other = scene.things.find((thing) => thing.name === of)!;
    const area = { x: other.x + x, y: other.y + y, dx: 0.008, dy: 0.008 };
    return placed(scene, { kind: 'bowl', name, area, gap: 0.01 }, random);
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
  { words: 'beside the plate', put: beside('plate', 0.145, 0) },
  { words: 'from the plate', put: upon('plate', 0.015) },
  { words: 'from the cabinet', put: upon('cabinet', 0.03) },
  { words: 'from the stove', put: onStove },
  { words: 'out of the drawer', put: inDrawer },
  { words: 'between the mug and the can', put: beside('mug', 0.1, 0) },
];
const drawer = 8;
const between = 9;

export const spatialTasks: readonly TaskDesign[] = places.map(({ words }, task) => ({
  text: `take the bowl ${words} and put it on the tray`,
  goals: [{ kind: 'on', thing: 'bowl', target: 'tray' }],
  draw: (random) => drawn(task, random),
}));

/** The second bowl stands where another task has its own; beside mug and can there is less room. */
function drawn(task: number, random: NumpyRandom): Scene {
  const others = places
    .map((_, place) => place)
    .filter((place) => place !== task && place !== between && place !== drawer);
  const fitting = task === between ? others.filter((place) => ![0, 1, 3].includes(place)) : others;
  const other = random.choice(fitting);
  const base = furniture(random, task);
  const first = places[task]!.put(base, 'bowl', random);
  return places[other]!.put(first, 'other bowl', random);
}

function furniture(random: NumpyRandom, task: number): Scene {
  const isOpen = task === drawer;
  const cabinet = { x: -0.24 + around(random, 0.01), y: 0.185 + around(random, 0.005) };
  const stove = { x: 0.265 + around(random, 0.005), y: 0.175 + around(random, 0.01) };
  let scene = withStove(withCabinet(emptyTable, cabinet, isOpen ? 0.12 : 0), stove);
  const mug = { x: 0, y: 0.02, dx: 0.015, dy: 0.012 };
  scene = placed(
    scene,
    { kind: 'tray', area: { x: 0.255, y: -0.145, dx: 0.01, dy: 0.012 }, gap: 0.01 },
    random,
  );
  scene = placed(
    scene,
    { kind: 'plate', area: { x: -0.25, y: -0.17, dx: 0.015, dy: 0.008 }, gap: 0.01 },
    random,
  );
  scene = placed(
    scene,
    { kind: 'mug', area: task === between ? { ...mug, x: -0.08, y: 0.03 } : mug },
    random,
  );
  const { x, y } = scene.things.at(-1)!;
  const can = task === between ? { x: x + 0.205, y, dy: 0.008 } : { x: 0.05, y: -0.215, dx: 0.03, dy: 0.005 };
  return placed(scene, { kind: 'can', area: can, gap: 0.005 }, random);
}
