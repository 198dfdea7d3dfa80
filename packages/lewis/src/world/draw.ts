/** Pictures of drawn things: a view's name alone decides its background, position, size and rotation. */
import { EmacError, Random, type Frame } from '@emac/core';
import { thingOf, type Thing } from './things.ts';

type Colour = readonly [red: number, green: number, blue: number];

const paints: Readonly<Record<Thing['colour'], Colour>> = {
  red: [208, 32, 40],
  orange: [240, 132, 20],
  yellow: [236, 208, 24],
  green: [36, 148, 60],
  blue: [36, 80, 200],
  purple: [128, 44, 160],
};
const rims: Readonly<Record<Thing['edge'], Colour | null>> = {
  no: null,
  black: [16, 16, 16],
  white: [250, 250, 250],
};
/** second colour of a pattern */
const light: Colour = [250, 250, 250];
/** no thing has one of these colours */
const grounds: readonly Colour[] = [
  [120, 120, 124],
  [168, 148, 128],
  [132, 164, 172],
  [152, 168, 136],
  [176, 148, 164],
];

/** Whether a point lies in a shape that fills −1 … 1 both ways, v downwards. */
const insides: Readonly<Record<Thing['shape'], (u: number, v: number) => boolean>> = {
  ball: (u, v) => u * u + v * v < 1,
  box: (u, v) => Math.max(Math.abs(u), Math.abs(v)) < 0.82,
  kite: (u, v) => Math.abs(u) * 1.4 + Math.abs(v) < 1,
  tent: (u, v) => v < 0.8 && v > -0.95 && Math.abs(u) < (v + 0.95) / 1.75,
  ring: (u, v) => u * u + v * v < 1 && u * u + v * v > 0.2,
  cross: (u, v) => Math.max(Math.abs(u), Math.abs(v)) < 0.95 && Math.min(Math.abs(u), Math.abs(v)) < 0.36,
};

/** Whether a point of the body has the second colour. */
const marks: Readonly<Record<Thing['pattern'], (u: number, v: number) => boolean>> = {
  plain: () => false,
  striped: (_, v) => modulo(v, 0.4) < 0.14,
  dotted: (u, v) => (modulo(u, 0.36) - 0.18) ** 2 + (modulo(v, 0.36) - 0.18) ** 2 < 0.011,
  checked: (u, v) => modulo(u, 0.5) < 0.25 !== modulo(v, 0.5) < 0.25,
};

/** Points beyond this share of the shape belong to its edge. */
const rimStart = 0.8;

/** A thing's position in its picture, in pixels and radians. */
interface Pose {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly turn: number;
  readonly ground: Colour;
}

/**
 * A picture of `side` × `side` pixels. Errors: `data` for a text that is no drawn view, `usage` for a side below 16.
 */
export function drawView(view: string, side = 64): Frame {
  if (!Number.isSafeInteger(side) || side < 16)
    throw new EmacError('usage', `drawn world: a picture has 16 pixels a side or more, got ${side}`);
  const thing = thingOf(view);
  const pose = poseOf(view, side);
  const data = new Uint8Array(side * side * 3);
  const [cosine, sine] = [Math.cos(pose.turn), Math.sin(pose.turn)];
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const [right, down] = [(x + 0.5 - pose.x) / pose.size, (y + 0.5 - pose.y) / pose.size];
      const colour = colourAt(thing, cosine * right + sine * down, cosine * down - sine * right);
      data.set(colour ?? pose.ground, (y * side + x) * 3);
    }
  return { width: side, height: side, data };
}

function poseOf(view: string, side: number): Pose {
  const draws = Random.fromSeed(view);
  const between = (low: number, high: number) => low + (high - low) * draws.uniform();
  const size = side * between(0.28, 0.4);
  const room = side / 2 - size;
  return {
    size,
    x: side / 2 + room * between(-0.9, 0.9),
    y: side / 2 + room * between(-0.9, 0.9),
    turn: between(-0.35, 0.35),
    ground: draws.pick(grounds),
  };
}

/** Null outside the thing. */
function colourAt({ shape, colour, pattern, edge }: Thing, u: number, v: number): Colour | null {
  const inside = insides[shape];
  if (!inside(u, v)) return null;
  const rim = rims[edge];
  if (rim && !inside(u / rimStart, v / rimStart)) return rim;
  return marks[pattern](u, v) ? light : paints[colour];
}

function modulo(value: number, period: number): number {
  return value - Math.floor(value / period) * period;
}
