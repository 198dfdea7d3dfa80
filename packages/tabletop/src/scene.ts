/**
 * The table at one moment, as plain data that never changes: x to the viewer's right, y away from the viewer, z up from the table's top, all in
 * metres. The hand's place is the point between its fingertips.
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
  /** the name of what it stands on or in; null for the table, and while the hand holds it */
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
  /** the name of what it has closed on, a drawer too; null for nothing */
  readonly holds: string | null;
}

export interface Scene {
  readonly hand: Hand;
  readonly things: readonly Thing[];
  /** the stove's button has been pressed */
  readonly lit: boolean;
}

/** Where the hand can be, and how. */
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

/** Errors: `internal` where the scene has none of this name. */
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

/** Whether a thing is the named one or stands on it, on what stands on it, and so on. */
export function standsOn(scene: Scene, thing: Thing, name: string): boolean {
  if (thing.name === name) return true;
  return thing.on !== null && standsOn(scene, thingOf(scene, thing.on), name);
}

/** How far a drawer is pulled. */
export function pullOf(scene: Scene, drawer: Thing): number {
  return thingOf(scene, drawer.on!).y + drawerPlace.y - drawer.y;
}
