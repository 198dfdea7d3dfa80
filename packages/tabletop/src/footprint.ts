/** Shapes from above: overlap and containment. Touching shapes neither overlap nor fit. */
import { cosine, sine } from './angle.ts';
import type { Shape } from './kinds.ts';

export interface Footprint {
  readonly shape: Shape;
  readonly x: number;
  readonly y: number;
  /** radians */
  readonly yaw: number;
}

type Vector = readonly [number, number];

/** Half of how far it reaches, at most. */
export function outerRadius(shape: Shape): number {
  if ('round' in shape) return shape.round;
  const [a, b] = shape.half;
  return Math.sqrt(a * a + b * b);
}

/** A shape with so much room around it. */
export function wider(shape: Shape, gap: number): Shape {
  if ('round' in shape) return { round: shape.round + gap };
  return { half: [shape.half[0] + gap, shape.half[1] + gap] };
}

/** Whether two share more than their edges. */
export function overlaps(one: Footprint, other: Footprint): boolean {
  const [dx, dy] = [other.x - one.x, other.y - one.y];
  const reach = outerRadius(one.shape) + outerRadius(other.shape);
  if (dx * dx + dy * dy >= reach * reach) return false;
  if ('round' in one.shape && 'round' in other.shape) return true;
  if ('round' in one.shape) return roundMeets(one.shape.round, one, other);
  if ('round' in other.shape) return roundMeets(other.shape.round, other, one);
  return !isApart(one, other) && !isApart(other, one);
}

/** Whether the inner one lies wholly within the outer one. */
export function isWithin(inner: Footprint, outer: Footprint): boolean {
  return rim(inner).every(({ point, radius }) => holds(outer, point, radius));
}

/** Whether a point lies within. */
export function isOver(point: Vector, footprint: Footprint): boolean {
  return holds(footprint, point, 0);
}

/** A point of the table in the footprint's own axes. */
export function localTo({ x, y, yaw }: Omit<Footprint, 'shape'>, [px, py]: Vector): Vector {
  const [c, s] = yaw === 0 ? [1, 0] : [cosine(yaw), sine(yaw)];
  const [dx, dy] = [px - x, py - y];
  return [c * dx + s * dy, c * dy - s * dx];
}

/** The corners of a rectangle on the table, counter-clockwise. */
export function cornersOf({ x, y, yaw }: Omit<Footprint, 'shape'>, [a, b]: Vector): Vector[] {
  const [c, s] = yaw === 0 ? [1, 0] : [cosine(yaw), sine(yaw)];
  const corner = (u: number, v: number): Vector => [x + c * u - s * v, y + s * u + c * v];
  return [corner(-a, -b), corner(a, -b), corner(a, b), corner(-a, b)];
}

function roundMeets(radius: number, { x, y }: Footprint, rectangle: Footprint): boolean {
  const [u, v] = localTo(rectangle, [x, y]);
  const [a, b] = halfOf(rectangle.shape);
  const [du, dv] = [Math.max(Math.abs(u) - a, 0), Math.max(Math.abs(v) - b, 0)];
  return du * du + dv * dv < radius * radius;
}

/** Whether one of the first rectangle's axes separates the two. */
function isApart(one: Footprint, other: Footprint): boolean {
  const [a, b] = halfOf(one.shape);
  const corners = cornersOf(other, halfOf(other.shape)).map((corner) => localTo(one, corner));
  const [u, v] = [corners.map(([u]) => u), corners.map(([, v]) => v)];
  return Math.min(...u) >= a || Math.max(...u) <= -a || Math.min(...v) >= b || Math.max(...v) <= -b;
}

function rim(footprint: Footprint): { point: Vector; radius: number }[] {
  const { shape, x, y } = footprint;
  if ('round' in shape) return [{ point: [x, y], radius: shape.round }];
  return cornersOf(footprint, shape.half).map((point) => ({ point, radius: 0 }));
}

function holds(outer: Footprint, point: Vector, radius: number): boolean {
  if ('round' in outer.shape) {
    const [dx, dy, room] = [point[0] - outer.x, point[1] - outer.y, outer.shape.round - radius];
    return room >= 0 && dx * dx + dy * dy <= room * room;
  }
  const [u, v] = localTo(outer, point);
  const [a, b] = outer.shape.half;
  return Math.abs(u) <= a - radius && Math.abs(v) <= b - radius;
}

function halfOf(shape: Shape): Vector {
  return 'round' in shape ? [shape.round, shape.round] : shape.half;
}
