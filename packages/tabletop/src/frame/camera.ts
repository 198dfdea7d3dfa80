/** The cameras: a pinhole model, with only + − × ÷ and a square root. */
import { cosine, sine } from '../angle.ts';
import type { Hand } from '../scene.ts';

/** x to the right, y away, z up, in metres. */
export type Point = readonly [number, number, number];

export interface Camera {
  readonly at: Point;
  /** of length 1 each, and at right angles */
  readonly right: Point;
  readonly up: Point;
  readonly forward: Point;
  /** the picture's side is 1 */
  readonly focal: number;
}

/** Looks at a point from another, without leaning. */
function looking(at: Point, to: Point, focal: number): Camera {
  const forward = unit([to[0] - at[0], to[1] - at[1], to[2] - at[2]]);
  const right = unit([forward[1], -forward[0], 0]);
  return { at, right, up: crossed(right, forward), forward, focal };
}

/** Before the table, opposite the robot. */
export const agentCamera = looking([0, -0.92, 0.78], [0, 0.03, 0.135], 1.34);

/** In the hand, looking down between its fingers; up is away from the viewer, turned with the hand. */
export function wristCamera({ x, y, z, turn }: Hand): Camera {
  const [c, s] = [cosine(turn[2]), sine(turn[2])];
  const at: Point = [x + 0.06 * s, y - 0.06 * c, z + 0.15];
  return { at, right: [c, s, 0], up: [-s, c, 0], forward: [0, 0, -1], focal: 0.62 };
}

/** Writes the place in the picture, in sides from its top left, and returns the distance along the view. */
export function project({ at, right, up, forward, focal }: Camera, [x, y, z]: Point, out: number[]): number {
  const [dx, dy, dz] = [x - at[0], y - at[1], z - at[2]];
  const depth = Math.max(dx * forward[0] + dy * forward[1] + dz * forward[2], 0.01);
  out[0] = 0.5 + (focal * (dx * right[0] + dy * right[1] + dz * right[2])) / depth;
  out[1] = 0.5 - (focal * (dx * up[0] + dy * up[1] + dz * up[2])) / depth;
  return depth;
}

export function unit([x, y, z]: Point): Point {
  const length = Math.sqrt(x * x + y * y + z * z);
  return [x / length, y / length, z / length];
}

export function crossed([a, b, c]: Point, [x, y, z]: Point): Point {
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}
