/** A place for a thing that fulfils its goal: the free spot nearest to the middle of the target. */
import { isWithin, overlaps, wider, type Footprint } from '../footprint.ts';
import type { Goal } from '../goals.ts';
import { kindOf, type KindName, type Shape } from '../kinds.ts';
import { bounds, footprintOf, standsOn, thingOf, topOf, type Scene, type Thing } from '../scene.ts';

/** A place of the thing's bottom. */
export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export type Placement = Extract<Goal, { thing: string }>;

const step = 0.012;
/** room to other things */
const gap = 0.007;
/**
 * offset from the middle to search first: away from a stove's button, and so that a basket keeps room for another thing
 */
const preferred: Partial<Record<KindName, readonly [number, number]>> = {
  stove: [-0.02, 0.015],
  basket: [-0.045, 0],
};
const besideDistance = 0.13;

export function spotOf(scene: Scene, goal: Placement): Spot {
  return freeSpot(scene, goal) ?? spotsFor(scene, goal)[0]!;
}

/** The same; null if nothing is free now. */
export function freeSpot(scene: Scene, goal: Placement): Spot | null {
  const thing = thingOf(scene, goal.thing);
  return spotsFor(scene, goal).find((spot) => isRoom(scene, thing, spot)) ?? null;
}

function spotsFor(scene: Scene, goal: Placement): Spot[] {
  const target = thingOf(scene, goal.target);
  if (goal.kind === 'on' || goal.kind === 'in') return spotsOn(thingOf(scene, goal.thing), target);
  return spotsBeside(goal, target);
}

function spotsOn(thing: Thing, target: Thing): Spot[] {
  const { hollow } = kindOf(target.kind);
  const within: Footprint = { ...footprintOf(target), shape: hollow?.shape ?? kindOf(target.kind).shape };
  const z = hollow ? target.z + hollow.floor : topOf(target);
  const [px, py] = preferred[target.kind] ?? [0, 0];
  const fits = ({ x, y }: Spot) => hollow === null || isWithin({ ...footprintOf(thing), x, y }, within);
  const spots = offsets(reachOf(within.shape)).map(([x, y]) => ({
    x: target.x + px + x,
    y: target.y + py + y,
    z,
  }));
  const fitting = spots.filter(fits);
  return fitting.length > 0 ? fitting : spots;
}

function spotsBeside({ kind }: Placement, { x, y, z }: Thing): Spot[] {
  const side = kind === 'left of' ? -besideDistance : besideDistance;
  return offsets([0.06, 0.06]).map(([dx, dy]) => ({ x: x + side + dx, y: y + dy, z }));
}

/** A grid of offsets, the nearest first. */
function offsets([a, b]: readonly [number, number]): (readonly [number, number])[] {
  const [columns, rows] = [Math.floor(a / step), Math.floor(b / step)];
  const all: (readonly [number, number])[] = [];
  for (let row = -rows; row <= rows; row++)
    for (let column = -columns; column <= columns; column++) all.push([column * step, row * step]);
  return all.sort((one, other) => squareOf(one) - squareOf(other));
}

/** Half sides of the area allowed for a middle. */
function reachOf(shape: Shape): readonly [number, number] {
  if ('round' in shape) return [shape.round * 0.6, shape.round * 0.6];
  return [shape.half[0] * 0.8, shape.half[1] * 0.8];
}

/** Whether the hand can be there, and nothing that reaches above the spot is in the way of the thing. */
function isRoom(scene: Scene, thing: Thing, { x, y, z }: Spot): boolean {
  if (Math.abs(x) > bounds.x[1] - gap) return false;
  const own = footprintOf(thing);
  const footprint = { ...own, x, y, shape: wider(own.shape, gap) };
  return scene.things.every((other) => {
    if (standsOn(scene, other, thing.name) || topOf(other) <= z + 1e-6) return true;
    const { hollow } = kindOf(other.kind);
    const below = footprintOf(other);
    if (hollow && isWithin(footprint, { ...below, shape: hollow.shape })) return true;
    return !overlaps(footprint, below);
  });
}

function squareOf([x, y]: readonly [number, number]): number {
  return x * x + y * y;
}
