/** Builds scenes: fixed furniture first, then things at random places that are free. */
import { invariant } from '@emac/core';
import type { NumpyRandom } from '@emac/numpy-random';
import { overlaps, wider, type Footprint } from '../footprint.ts';
import { buttonPlace, drawerPlace, kindOf, type KindName } from '../kinds.ts';
import { footprintOf, home, thingOf, topOf, type Scene, type Thing } from '../scene.ts';

/** A thing's area: uniform in a rectangle around a point, rotated by up to `yaw` radians either way. */
export interface Area {
  readonly x: number;
  readonly y: number;
  /** half its sides; 0 by default */
  readonly dx?: number;
  readonly dy?: number;
  readonly yaw?: number;
}

export interface Placing {
  readonly kind: KindName;
  /** the kind's by default */
  readonly name?: string;
  readonly area: Area;
  /** metres to the next thing; 0.03 by default */
  readonly gap?: number;
}

export const emptyTable: Scene = { hand: home, things: [], lit: false };

/** Draws a number of [−reach, reach). */
export function around(random: NumpyRandom, reach: number): number {
  // + 0: a negative zero would not survive JSON
  return (2 * random.random() - 1) * reach + 0;
}

/** Places a thing on the table without contact; null if there is no place. */
export function placed(
  scene: Scene,
  { kind, name = kind, area, gap = 0.03 }: Placing,
  random: NumpyRandom,
): Scene | null {
  const { x, y, dx = 0, dy = 0, yaw = 0 } = area;
  for (let tried = 0; tried < 30; tried++) {
    const place = { x: x + around(random, dx), y: y + around(random, dy), yaw: around(random, yaw) };
    const thing: Thing = { name, kind, ...place, z: 0, on: null };
    const wide = { ...footprintOf(thing), shape: wider(kindOf(kind).shape, gap) };
    if (isFree(scene, wide)) return { ...scene, things: [...scene.things, thing] };
  }
  return null;
}

/** Places them one after another; null if one finds no place. */
export function allPlaced(scene: Scene, placings: readonly Placing[], random: NumpyRandom): Scene | null {
  let now: Scene | null = scene;
  for (const placing of placings) now = now && placed(now, placing, random);
  return now;
}

/** Draws until there is room for everything. Errors: `internal` if there is none in a thousand attempts. */
export function drawnUntilFree(draw: () => Scene | null): Scene {
  for (let tried = 0; tried < 1000; tried++) {
    const scene = draw();
    if (scene) return scene;
  }
  invariant(false, 'tabletop: no room for everything on the table');
}

/** Puts a thing on another, so far from its middle. */
export function placedOn(scene: Scene, thing: Pick<Thing, 'name' | 'kind'>, spot: Spot): Scene {
  const target = thingOf(scene, spot.on);
  const { hollow } = kindOf(target.kind);
  const z = hollow ? target.z + hollow.floor : topOf(target);
  const { x = 0, y = 0, on } = spot;
  const put: Thing = { ...thing, x: target.x + x, y: target.y + y, z, yaw: 0, on };
  return { ...scene, things: [...scene.things, put] };
}

export interface Spot {
  readonly on: string;
  readonly x?: number;
  readonly y?: number;
}

/** A cabinet with its drawer, pulled by so many metres. */
export function withCabinet(scene: Scene, { x, y }: Area, pull: number): Scene {
  const cabinet: Thing = { name: 'cabinet', kind: 'cabinet', x, y, z: 0, yaw: 0, on: null };
  const place = { x, y: y + drawerPlace.y - pull, z: drawerPlace.z, yaw: 0 };
  const drawer: Thing = { name: 'drawer', kind: 'drawer', ...place, on: 'cabinet' };
  return { ...scene, things: [...scene.things, cabinet, drawer] };
}

/** A stove with its button. */
export function withStove(scene: Scene, { x, y }: Area): Scene {
  const stove: Thing = { name: 'stove', kind: 'stove', x, y, z: 0, yaw: 0, on: null };
  const place = { x: x + buttonPlace.x, y: y + buttonPlace.y, z: topOf(stove), yaw: 0 };
  const button: Thing = { name: 'button', kind: 'button', ...place, on: 'stove' };
  return { ...scene, things: [...scene.things, stove, button] };
}

function isFree(scene: Scene, footprint: Footprint): boolean {
  return scene.things.every((thing) => thing.on !== null || !overlaps(footprint, footprintOf(thing)));
}
