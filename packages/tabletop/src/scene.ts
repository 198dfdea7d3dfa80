/**
 * The table at one moment, as immutable plain data: x to the viewer's right, y away from the viewer, z up from the
 * table's top, all in metres. The hand's position is the point between its fingertips.
 */
import { invariant } from '@emac/core';
import type { Footprint } from './footprint.ts';
import { drawerPlace, kindOf, type KindName } from './kinds.ts';

export interface Thing {
  /** unique in its scene, such as `mug` */
  readonly name: string;
  readonly kind: KindName;
  readonly x: number;
  readonly y: number;
  /** of its bottom */
  readonly z: number;
  /** radians */
  readonly yaw: number;
  /** name of the thing it stands on or in; null for the table, and while held */
  readonly on: string | null;
}

export interface Hand {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** rotation vector in radians, from a hand that points straight down with its fingers left and right; the last is the yaw */
  readonly turn: readonly [number, number, number];
  /** between the fingers */
  readonly opening: number;
  /** name of the held thing, or drawer; null for none */
  readonly holds: string | null;
}

export interface Scene {
  readonly hand: Hand;
  readonly things: readonly Thing[];
  /** the stove's button has been pressed */
  readonly lit: boolean;
}

/** The hand's range of positions and angles. */
export const bounds = {
  x: [-0.36, 0.36],
  y: [-0.25, 0.26],
  z: [0.004, 0.34],
  tilt: [-0.3, 0.3],
  yaw: [-1.5707963267948966, 1.5707963267948966],
  opening: [0, 0.12],
} as const;

export const home: Hand = {
  x: 0,
  y: 0.05,
  z: 0.25,
  turn: [0, 0, 0],
  opening: bounds.opening[1],
  holds: null,
};

/** Errors: `internal` for an unknown name. */
export function thingOf({ things }: Scene, name: string): Thing {
  const found = things.find((thing) => thing.name === name);
  invariant(found, `tabletop: the scene has no ${name}`);
  return found;
}

export function footprintOf({ kind, x, y, yaw }: Thing): Footprint {
  return { shape: kindOf(kind).shape, x, y, yaw };
}

/** The height of its top. */
export function topOf({ kind, z }: Thing): number {
  return z + kindOf(kind).height;
}

/** Whether a thing is the named one or stands on it, directly or not. */
export function standsOn(scene: Scene, thing: Thing, name: string): boolean {
  if (thing.name === name) return true;
  return thing.on !== null && standsOn(scene, thingOf(scene, thing.on), name);
}

/** How far a drawer is pulled. */
export function pullOf(scene: Scene, drawer: Thing): number {
  return thingOf(scene, drawer.on!).y + drawerPlace.y - drawer.y;
}
