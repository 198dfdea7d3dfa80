/** A canvas behind a camera: front faces of solids are filled and lit by one lamp at the upper left. */
import { clamped, cosine, halfTurn, sine } from '../angle.ts';
import { project, unit, type Camera, type Point } from './camera.ts';
import type { Canvas, Colour } from './canvas.ts';

/** towards the lamp */
export const lamp: Point = unit([-0.3, -0.22, 0.93]);
/** how far a shadow falls for each metre of height */
export const slant = { x: 0.3 / 0.93, y: 0.22 / 0.93 } as const;
const ambient = 0.62;
/** pixels by which faces grow, to close gaps between neighbours */
const growth = 0.35;

export class View {
  readonly canvas: Canvas;
  readonly camera: Camera;
  readonly #out = [0, 0];

  constructor(canvas: Canvas, camera: Camera) {
    this.canvas = canvas;
    this.camera = camera;
  }

  /** Pixels of x, y, x, y …. */
  project(points: readonly Point[]): number[] {
    const { size } = this.canvas;
    const flat: number[] = [];
    for (const point of points) {
      project(this.camera, point, this.#out);
      flat.push(this.#out[0]! * size, this.#out[1]! * size);
    }
    return flat;
  }

  /** Pixels of a length at a place. */
  pixels(length: number, point: Point): number {
    return (length * this.camera.focal * this.canvas.size) / project(this.camera, point, this.#out);
  }

  /** A flat face with corners counter-clockwise from its front; back faces are skipped. */
  face(points: readonly Point[], colour: Colour): void {
    const flat = this.project(points);
    if (turning(flat) >= 0) return;
    this.canvas.fill(grown(flat, growth), colour);
  }

  /** The same, both sides. */
  sheet(points: readonly Point[], colour: Colour, alpha = 1): void {
    this.canvas.fill(this.project(points), colour, alpha);
  }

  /** A circle in the picture, such as a ball's outline; `shift` moves it by shares of its radius. */
  disc(middle: Point, radius: number, { colour, shift = [0, 0] }: DiscStyle): void {
    const [x, y] = this.project([middle]) as [number, number];
    const reach = this.pixels(radius, middle);
    const points: number[] = [];
    for (const [c, s] of circle) points.push(x + reach * (c + shift[0]), y + reach * (s + shift[1]));
    this.canvas.fill(points, colour);
  }
}

export interface DiscStyle {
  readonly colour: Colour;
  readonly shift?: readonly [number, number];
}

/** Cosine and sine all around. */
export const segments = 18;
export const circle: readonly (readonly [number, number])[] = Array.from({ length: segments }, (_, index) => {
  const angle = (2 * halfTurn * index) / segments;
  return [cosine(angle), sine(angle)] as const;
});

/** A colour under the lamp on a face that looks along `normal`, of length 1. */
export function lit(colour: Colour, normal: Point): Colour {
  const facing = normal[0] * lamp[0] + normal[1] * lamp[1] + normal[2] * lamp[2];
  return shaded(colour, ambient + (1.08 - ambient) * Math.max(facing, 0));
}

/** A colour made so many times as bright. */
export function shaded([red, green, blue]: Colour, by: number): Colour {
  const bright = (value: number) => clamped(value * by, 0, 255);
  return [bright(red), bright(green), bright(blue)];
}

/** Twice the area, below 0 for counter-clockwise points in the picture. */
function turning(flat: readonly number[]): number {
  let sum = 0;
  let [x, y] = [flat.at(-2)!, flat.at(-1)!];
  for (let at = 0; at < flat.length; at += 2) {
    sum += x * flat[at + 1]! - flat[at]! * y;
    [x, y] = [flat[at]!, flat[at + 1]!];
  }
  return sum;
}

function grown(flat: number[], by: number): number[] {
  const count = flat.length / 2;
  let [mx, my] = [0, 0];
  for (let at = 0; at < flat.length; at += 2) {
    mx += flat[at]! / count;
    my += flat[at + 1]! / count;
  }
  for (let at = 0; at < flat.length; at += 2) {
    const [dx, dy] = [flat[at]! - mx, flat[at + 1]! - my];
    const length = Math.sqrt(dx * dx + dy * dy);
    if (length === 0) continue;
    flat[at]! += (dx / length) * by;
    flat[at + 1]! += (dy / length) * by;
  }
  return flat;
}
