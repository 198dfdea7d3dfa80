/** Shadows of things and the hand: the outline of a solid between two heights, slanted away from the lamp. */
import { cornersOf, type Footprint } from '../footprint.ts';
import type { Point } from './camera.ts';
import type { Colour } from './canvas.ts';
import { circle, slant, type View } from './view.ts';

const colour: Colour = [44, 26, 16];

export interface Cast {
  readonly footprint: Footprint;
  /** heights of its bottom and top above the ground */
  readonly from: number;
  readonly to: number;
  /** height of the surface below */
  readonly ground: number;
}

/** Two layers, so that the edge is soft. */
export function paintShadow(view: View, { footprint, from, to, ground }: Cast): void {
  for (const [grow, alpha] of [
    [0.006, 0.13],
    [0, 0.17],
  ] as const) {
    const outline = outlineOf(footprint, grow);
    const points = [from, to].flatMap((height) =>
      outline.map(([x, y]): Point => [x + height * slant.x, y + height * slant.y, ground]),
    );
    view.sheet(hull(points), colour, alpha);
  }
}

function outlineOf({ shape, x, y, yaw }: Footprint, grow: number): (readonly [number, number])[] {
  if ('half' in shape) return cornersOf({ x, y, yaw }, [shape.half[0] + grow, shape.half[1] + grow]);
  const radius = shape.round + grow;
  return circle.map(([c, s]) => [x + radius * c, y + radius * s]);
}

/** The convex outline of points of one height, counter-clockwise (Andrew's monotone chain). */
export function hull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  return [...chain(sorted), ...chain(sorted.reverse())];
}

function chain(sorted: readonly Point[]): Point[] {
  const kept: Point[] = [];
  for (const point of sorted) {
    while (kept.length > 1 && !turnsLeft(kept.at(-2)!, kept.at(-1)!, point)) kept.pop();
    kept.push(point);
  }
  return kept.slice(0, -1);
}

function turnsLeft(a: Point, b: Point, c: Point): boolean {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0;
}
