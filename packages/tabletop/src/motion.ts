/**
 * The effect of one action. It is carried out in short parts: the hand rotates, moves as far as possible, then opens or
 * closes. Obstacles stop it separately along the table's x and y. While it holds a drawer's knob, it can only move
 * along the drawer.
 */
import { clamped } from './angle.ts';
import { overlaps } from './footprint.ts';
import { closed, opened, replaced, shifted } from './grip.ts';
import { buttonRadius, drawerPlace } from './kinds.ts';
import { bounds, footprintOf, pullOf, standsOn, thingOf, topOf, type Hand, type Scene } from './scene.ts';
import { carriedFootprint, lowestOf } from './support.ts';

/** The meaning of 1 in an action's numbers. */
export interface Scale {
  /** parts of an action */
  readonly parts: number;
  /** metres of a part */
  readonly reach: number;
  /** radians of a part */
  readonly turn: number;
  /** metres that the fingers open or close in a part */
  readonly grip: number;
}

/** `fast`: 8 cm an action, so that episodes are short; `fine`: 6 mm, so that they last about as long as LIBERO's. */
export const scales = {
  fast: { parts: 4, reach: 0.02, turn: 0.15, grip: 0.02 },
  fine: { parts: 1, reach: 0.006, turn: 0.05, grip: 0.006 },
} as const satisfies Record<string, Scale>;

/**
 * [dx, dy, dz, three of a rotation vector, gripper], each from −1 to 1 and cut off there. Of the last the sign counts: above 0 closes, below
 * opens, 0 leaves it.
 */
export type Action = readonly number[];

type Vector = readonly [number, number, number];

/** The scene after an action. */
export function acted(scene: Scene, action: Action, scale: Scale): Scene {
  const [dx, dy, dz, rx, ry, rz, grip] = action.map((value) => clamped(value, -1, 1)) as [
    ...[number, number, number, number, number, number, number],
  ];
  const way: Vector = [dx * scale.reach, dy * scale.reach, dz * scale.reach];
  const turn: Vector = [rx * scale.turn, ry * scale.turn, rz * scale.turn];
  let now = scene;
  for (let part = 0; part < scale.parts; part++) {
    now = moved(turned(now, turn), way);
    if (grip > 0) now = closed(now, scale.grip);
    if (grip < 0) now = opened(now, scale.grip);
    now = pressed(now);
  }
  return now;
}

function turned(scene: Scene, [rx, ry, rz]: Vector): Scene {
  if ((rx === 0 && ry === 0 && rz === 0) || heldDrawer(scene) !== null) return scene;
  const { hand } = scene;
  const [x, y, yaw] = hand.turn;
  const tilt: [number, number] = [clamped(x + rx, ...bounds.tilt), clamped(y + ry, ...bounds.tilt)];
  const whole = { ...hand, turn: [...tilt, clamped(yaw + rz, ...bounds.yaw)] as const };
  if (lowestOf(scene, whole) <= hand.z) return carried(scene, whole);
  return carried(scene, { ...hand, turn: [...tilt, yaw] });
}

function moved(scene: Scene, [dx, dy, dz]: Vector): Scene {
  const drawer = heldDrawer(scene);
  if (drawer !== null) return pulled(scene, drawer, dy);
  const { hand } = scene;
  const [x, y] = [clamped(hand.x + dx, ...bounds.x), clamped(hand.y + dy, ...bounds.y)];
  const ways = [
    { x, y },
    { x, y: hand.y },
    { x: hand.x, y },
  ];
  const wanted = clamped(hand.z + dz, ...bounds.z);
  for (const way of ways) {
    const lowest = lowestOf(scene, { ...hand, ...way });
    if (lowest <= Math.max(hand.z, wanted))
      return carried(scene, { ...hand, ...way, z: Math.max(wanted, lowest) });
  }
  const lowest = Math.min(lowestOf(scene, hand), hand.z);
  return carried(scene, { ...hand, z: Math.max(wanted, lowest) });
}

/** The scene with the hand moved, and its held thing with it. */
function carried(scene: Scene, hand: Hand): Scene {
  if (hand.holds === null) return { ...scene, hand };
  const thing = thingOf(scene, hand.holds);
  const { x, y, yaw } = carriedFootprint(scene, hand, thing);
  const way = [x - thing.x, y - thing.y, hand.z - scene.hand.z] as const;
  return { ...replaced(shifted(scene, thing.name, way), thing.name, { yaw }), hand };
}

function heldDrawer(scene: Scene): string | null {
  const { holds } = scene.hand;
  return holds !== null && thingOf(scene, holds).kind === 'drawer' ? holds : null;
}

/** Moves drawer and hand along y, unless the drawer would run into something or its content would not fit under the cabinet's top. */
function pulled(scene: Scene, name: string, dy: number): Scene {
  const drawer = thingOf(scene, name);
  const pull = pullOf(scene, drawer);
  const way = pull - clamped(pull - dy, 0, drawerPlace.reach);
  const next = shifted(scene, name, [0, way, 0]);
  const { hand } = scene;
  return isFree(next, name, way) ? { ...next, hand: { ...hand, y: hand.y + way } } : scene;
}

function isFree(scene: Scene, name: string, way: number): boolean {
  const drawer = thingOf(scene, name);
  const cabinet = thingOf(scene, drawer.on!);
  const [inside, outside] = [footprintOf(cabinet), footprintOf(drawer)];
  return scene.things.every((thing) => {
    if (thing.name === name || thing.name === cabinet.name) return true;
    if (standsOn(scene, thing, name))
      return way < 0 || topOf(thing) <= topOf(drawer) + 0.015 || !overlaps(footprintOf(thing), inside);
    if (standsOn(scene, thing, cabinet.name)) return true;
    return way > 0 || topOf(thing) <= drawer.z || !overlaps(footprintOf(thing), outside);
  });
}

/** A closed hand on the button switches the stove on, for good. */
function pressed(scene: Scene): Scene {
  const { hand, lit } = scene;
  if (lit || hand.opening > 0.04 || hand.holds !== null) return scene;
  const button = scene.things.find(({ kind }) => kind === 'button');
  if (!button) return scene;
  const [dx, dy] = [hand.x - button.x, hand.y - button.y];
  const reach = buttonRadius + 0.01;
  const isPressed = dx * dx + dy * dy <= reach * reach && hand.z <= topOf(button) + 0.004;
  return isPressed ? { ...scene, lit: true } : scene;
}
