/**
 * The height at which something rests: on the highest thing below, or on the floor of a container with room for it. The
 * hand counts as two fingertips with a palm above; its fingers go down on both sides of a thing that fits between them.
 */
import { cosine, sine } from './angle.ts';
import { isWithin, overlaps, type Footprint } from './footprint.ts';
import { kindOf } from './kinds.ts';
import { bounds, footprintOf, standsOn, thingOf, topOf, type Hand, type Scene, type Thing } from './scene.ts';

export interface Support {
  readonly height: number;
  /** the thing's name; null for the table */
  readonly on: string | null;
}

/** A fingertip's half thickness, and how far its middle lies outside the opening. */
export const finger = { radius: 0.01, beside: 0.0105 } as const;
/** The palm above the fingertips; half lengths across and along the fingers' row. */
export const palm = { z: 0.07, half: [0.05, 0.02] } as const;

const table: Support = { height: 0, on: null };

/** The support of a footprint, among the other things. */
export function supportOf(scene: Scene, footprint: Footprint, isLeftOut: (thing: Thing) => boolean): Support {
  let best = table;
  for (const thing of scene.things) {
    if (isLeftOut(thing)) continue;
    const height = heightUnder(thing, footprint);
    if (height > best.height) best = { height, on: thing.name };
  }
  return best;
}

/** The height of a thing under a footprint; 0 beside it. */
function heightUnder(thing: Thing, footprint: Footprint): number {
  const below = footprintOf(thing);
  if (!overlaps(footprint, below)) return 0;
  const { hollow } = kindOf(thing.kind);
  if (hollow && isWithin(footprint, { ...below, shape: hollow.shape })) return thing.z + hollow.floor;
  return topOf(thing);
}

/** The lowest fingertip height at the hand's position, with its held thing. */
export function lowestOf(scene: Scene, hand: Hand): number {
  const held = hand.holds;
  const isCarried = (thing: Thing) => held !== null && standsOn(scene, thing, held);
  const under = (footprint: Footprint) => supportOf(scene, footprint, isCarried).height;
  let lowest: number = bounds.z[0];
  for (const fingertip of fingertipsOf(hand)) lowest = Math.max(lowest, under(fingertip));
  lowest = Math.max(lowest, under(palmOf(hand)) - palm.z);
  if (held === null) return lowest;
  const thing = thingOf(scene, held);
  const grip = scene.hand.z - thing.z;
  return Math.max(lowest, under(carriedFootprint(scene, hand, thing)) + grip);
}

/** A held thing's footprint with the hand at another position. */
export function carriedFootprint(scene: Scene, hand: Hand, thing: Thing): Footprint {
  const before = scene.hand;
  const turned = hand.turn[2] - before.turn[2];
  const [dx, dy] = [thing.x - before.x, thing.y - before.y];
  const [c, s] = turned === 0 ? [1, 0] : [cosine(turned), sine(turned)];
  const place = { x: hand.x + c * dx - s * dy, y: hand.y + s * dx + c * dy };
  return { shape: kindOf(thing.kind).shape, ...place, yaw: thing.yaw + turned };
}

function fingertipsOf({ x, y, turn, opening }: Hand): Footprint[] {
  const reach = opening / 2 + finger.beside;
  const [dx, dy] = [reach * cosine(turn[2]), reach * sine(turn[2])];
  const shape = { round: finger.radius };
  return [-1, 1].map((side) => ({ shape, x: x + side * dx, y: y + side * dy, yaw: 0 }));
}

function palmOf({ x, y, turn }: Hand): Footprint {
  return { shape: { half: palm.half }, x, y, yaw: turn[2] };
}
