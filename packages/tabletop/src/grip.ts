/**
 * Opening and closing the fingers: they hold a thing they close on; a released one falls straight onto the surface
 * below.
 */
import { clamped, cosine, nearestHalfTurn, quarterTurn, sine } from './angle.ts';
import { localTo } from './footprint.ts';
import { kindOf, knob, type Kind } from './kinds.ts';
import { bounds, footprintOf, standsOn, thingOf, topOf, type Hand, type Scene, type Thing } from './scene.ts';
import { lowestOf, supportOf } from './support.ts';

/** How far from the middle of the fingers' row a round thing may lie, and how crooked a square one. */
export const tolerance = { along: 0.026, yaw: 0.3, belowTop: 0.008 } as const;

/** How a hand would hold a thing. */
interface Hold {
  readonly name: string;
  /** of the thing between the fingers */
  readonly width: number;
  /** how far it lies from the fingers' middle, towards the second of them */
  readonly off: number;
}

/** Closes by at most so many metres. A thing between the fingers is pushed to their middle, unless blocked. */
export function closed(scene: Scene, speed: number): Scene {
  const { hand } = scene;
  if (hand.holds !== null) return scene;
  const opening = Math.max(hand.opening - speed, bounds.opening[0]);
  const hold = holdOf(scene);
  if (hold) return squeezed(scene, hold, Math.max(opening, hold.width));
  const next = { ...hand, opening };
  return lowestOf(scene, next) > hand.z ? scene : { ...scene, hand: next };
}

/** Opens by at most so many metres; a held thing is released at once. */
export function opened(scene: Scene, speed: number): Scene {
  const free = scene.hand.holds === null ? scene : released(scene);
  const { hand } = free;
  const next = { ...hand, opening: Math.min(hand.opening + speed, bounds.opening[1]) };
  return lowestOf(free, next) > hand.z ? free : { ...free, hand: next };
}

/** Shifts a thing with all that stands on it. */
export function shifted(scene: Scene, name: string, [dx, dy, dz]: readonly [number, number, number]): Scene {
  const things = scene.things.map((thing) =>
    standsOn(scene, thing, name) ? { ...thing, x: thing.x + dx, y: thing.y + dy, z: thing.z + dz } : thing,
  );
  return { ...scene, things };
}

function holdOf(scene: Scene): Hold | null {
  for (const thing of scene.things) {
    const hold = thing.kind === 'drawer' ? knobHold(thing, scene.hand) : liftHold(thing, scene.hand);
    if (hold) return hold;
  }
  return null;
}

function knobHold(drawer: Thing, hand: Hand): Hold | null {
  const place = { x: drawer.x, y: drawer.y + knob.y, yaw: hand.turn[2] };
  const [u, v] = localTo(place, [hand.x, hand.y]);
  const isBetween = Math.abs(u) <= (hand.opening - knob.width) / 2 && Math.abs(v) <= tolerance.along;
  const isLevel = Math.abs(hand.z - drawer.z - knob.z) <= tolerance.along;
  const isStraight = Math.abs(hand.turn[2]) <= tolerance.yaw;
  return isBetween && isLevel && isStraight ? { name: drawer.name, width: knob.width, off: 0 } : null;
}

function liftHold(thing: Thing, hand: Hand): Hold | null {
  const kind = kindOf(thing.kind);
  if (!kind.liftable || hand.z < thing.z || hand.z > topOf(thing) - tolerance.belowTop) return null;
  const side = sideBetween(kind, thing.yaw, hand.turn[2]);
  if (side === null) return null;
  const axes = { x: hand.x, y: hand.y, yaw: hand.turn[2] };
  const [u, v] = localTo(axes, [thing.x, thing.y]);
  if (Math.abs(u) > (hand.opening - side.width) / 2 + 1e-9 || Math.abs(v) > side.along) return null;
  return { name: thing.name, width: side.width, off: u };
}

/** The thing's width between two fingers, and the room along their row; null if it lies crooked. */
function sideBetween({ shape }: Kind, yaw: number, handYaw: number): { width: number; along: number } | null {
  if ('round' in shape) return { width: 2 * shape.round, along: tolerance.along };
  const [a, b] = shape.half;
  const off = nearestHalfTurn(handYaw - yaw);
  if (Math.abs(off) <= tolerance.yaw) return { width: 2 * a, along: Math.max(b - 0.005, 0.02) };
  const isAcross = quarterTurn - Math.abs(off) <= tolerance.yaw;
  return isAcross ? { width: 2 * b, along: Math.max(a - 0.02, 0.02) } : null;
}

function squeezed(scene: Scene, { name, width, off }: Hold, opening: number): Scene {
  const room = (opening - width) / 2;
  const push = clamped(off, -room, room) - off;
  const yaw = scene.hand.turn[2];
  const pushed = push === 0 ? scene : shifted(scene, name, [push * cosine(yaw), push * sine(yaw), 0]);
  const thing = thingOf(pushed, name);
  const isItself = (each: Thing) => standsOn(pushed, each, name);
  const below = supportOf(pushed, footprintOf(thing), isItself).height;
  if (push !== 0 && below > thing.z + 1e-9) return scene;
  if (opening > width) return { ...pushed, hand: { ...scene.hand, opening } };
  const hand = { ...scene.hand, opening, holds: name };
  if (thing.kind === 'drawer') return { ...pushed, hand };
  return { ...replaced(pushed, name, { on: null }), hand };
}

function released(scene: Scene): Scene {
  const name = scene.hand.holds!;
  const hand = { ...scene.hand, holds: null };
  const thing = thingOf(scene, name);
  if (thing.kind === 'drawer') return { ...scene, hand };
  const { height, on } = supportOf(scene, footprintOf(thing), (each) => standsOn(scene, each, name));
  const fallen = shifted(scene, name, [0, 0, height - thing.z]);
  return { ...replaced(fallen, name, { on }), hand };
}

/** The scene with other facts of one thing. */
export function replaced(scene: Scene, name: string, facts: Partial<Thing>): Scene {
  const things = scene.things.map((thing) => (thing.name === name ? { ...thing, ...facts } : thing));
  return { ...scene, things };
}
