/**
 * Pictures of a scene, painted from far to near: shadows, then the things on the table, each with the things on or in
 * it, and the robot in between. The empty table is drawn once per size.
 */
import type { Frame } from '@emac/core';
import { isOver, type Footprint } from '../footprint.ts';
import { kindOf } from '../kinds.ts';
import { footprintOf, topOf, type Scene, type Thing } from '../scene.ts';
import { palm, supportOf } from '../support.ts';
import { agentCamera, wristCamera } from './camera.ts';
import { Canvas } from './canvas.ts';
import { fingerPlace, paintArm, paintBase, paintFinger, paintPalm } from './robot.ts';
import { paintShadow } from './shadows.ts';
import { looksOf } from './things.ts';
import { View } from './view.ts';
import { backdrop } from './wood.ts';

/** The camera's place: in front of the table, or in the hand. */
export type Eye = 'agent' | 'wrist';

const backdrops = new Map<number, Uint8Array>();

/** A square picture of so many pixels a side. */
export function paint(scene: Scene, size: number, eye: Eye): Frame {
  const canvas = new Canvas(size);
  const camera = eye === 'agent' ? agentCamera : wristCamera(scene.hand);
  if (eye === 'agent') canvas.pixels.set(emptyTable(size));
  else canvas.pixels.set(backdrop(camera, size, 1));
  new Painting(new View(canvas, camera), scene, eye).run();
  return canvas.frame();
}

function emptyTable(size: number): Uint8Array {
  const known = backdrops.get(size);
  if (known) return known;
  const drawn = backdrop(agentCamera, size, 3);
  backdrops.set(size, drawn);
  return drawn;
}

/** An object to paint; a larger key is farther away. */
interface Layer {
  readonly key: number;
  readonly paint: () => void;
}

class Painting {
  readonly #view: View;
  readonly #scene: Scene;
  readonly #eye: Eye;

  constructor(view: View, scene: Scene, eye: Eye) {
    this.#view = view;
    this.#scene = scene;
    this.#eye = eye;
  }

  run(): void {
    if (this.#eye === 'agent') paintBase(this.#view);
    this.#level(null);
  }

  /** Everything that stands on the named thing, or on the table. */
  #level(on: string | null): void {
    const { hand, things } = this.#scene;
    const here = things.filter((thing) => thing.on === on && (thing.name !== hand.holds || isPart(thing)));
    const loose = here.filter((thing) => !isPart(thing));
    for (const thing of loose) this.#shadow(thing);
    const layers = here.map((thing): Layer => ({ key: keyOf(thing), paint: () => this.#thing(thing) }));
    if (containerOf(this.#scene) === on) layers.push(...this.#hand());
    for (const layer of layers.sort((one, other) => other.key - one.key)) layer.paint();
  }

  #thing(thing: Thing): void {
    const { back, front } = looksOf(thing);
    back(this.#view, thing, this.#scene);
    this.#level(thing.name);
    front?.(this.#view, thing, this.#scene);
  }

  #shadow(thing: Thing): void {
    const below = thing.on === null ? 0 : thing.z;
    const height = kindOf(thing.kind).height;
    paintShadow(this.#view, { footprint: footprintOf(thing), from: 0, to: height, ground: below });
  }

  /** The far finger may be behind a thing between the fingers; the rest of the hand is in front of it. */
  #hand(): Layer[] {
    const { hand, things } = this.#scene;
    const held = things.find(({ name }) => name === hand.holds);
    const [left, right] = [fingerPlace(hand, -1), fingerPlace(hand, 1)];
    const far = left.y > right.y ? -1 : 1;
    const near = far === 1 ? -1 : 1;
    const farther = (far === 1 ? right : left).y;
    return [
      { key: 1, paint: () => this.#handShadows(held) },
      { key: Math.max(farther, hand.y - 0.03), paint: () => paintFinger(this.#view, hand, far) },
      { key: hand.y - 0.03, paint: () => this.#nearHand(held, near) },
    ];
  }

  #nearHand(held: Thing | undefined, near: -1 | 1): void {
    const { hand } = this.#scene;
    if (this.#eye === 'agent') paintArm(this.#view, hand);
    if (held && !isPart(held)) this.#thing(held);
    paintFinger(this.#view, hand, near);
    if (this.#eye === 'agent') paintPalm(this.#view, hand);
  }

  #handShadows(held: Thing | undefined): void {
    const { hand } = this.#scene;
    const footprint: Footprint = { shape: { half: palm.half }, x: hand.x, y: hand.y, yaw: hand.turn[2] };
    this.#cast(footprint, hand.z + palm.z, 0.1);
    if (held && !isPart(held)) this.#cast(footprintOf(held), held.z, kindOf(held.kind).height);
  }

  /** The shadow of a lifted object on the surface below. */
  #cast(footprint: Footprint, bottom: number, height: number): void {
    const { hand } = this.#scene;
    const isLeftOut = (thing: Thing) => thing.name === hand.holds;
    const point = { ...footprint, shape: { round: 0.004 } };
    const ground = supportOf(this.#scene, point, isLeftOut).height;
    const from = Math.max(bottom - ground, 0);
    paintShadow(this.#view, { footprint, from, to: from + height, ground });
  }
}

/** Parts of furniture cast no shadow of their own, and a drawer in the hand stays in place. */
function isPart({ kind }: Thing): boolean {
  return kind === 'drawer' || kind === 'button';
}

/** Flat things are below all others; hollow or large ones are behind their neighbours. */
function keyOf({ kind, y }: Thing): number {
  const { shape, height, liftable } = kindOf(kind);
  if (liftable) return y;
  if (height < 0.03) return 0.9 + y / 100;
  return 'half' in shape ? y + shape.half[1] : y;
}

/** The basket or drawer the hand reaches into; null if it is above all. */
function containerOf({ hand, things }: Scene): string | null {
  const found = things.find((thing) => {
    const isDeep = thing.kind === 'basket' || thing.kind === 'drawer';
    return isDeep && hand.z < topOf(thing) - 0.002 && isOver([hand.x, hand.y], footprintOf(thing));
  });
  return found?.name ?? null;
}
