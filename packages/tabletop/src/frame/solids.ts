/** Solids for drawing things: solids of revolution, boxes, and boxes without a lid. */
import { cornersOf } from '../footprint.ts';
import type { Point } from './camera.ts';
import type { Colour } from './canvas.ts';
import { circle, lit, segments, shaded, type View } from './view.ts';

/** Radius and height of a ring. */
export type Ring = readonly [number, number];

export interface Turned {
  readonly at: Point;
  /** from the bottom outside up, over the rim and down inside, if it is hollow */
  readonly rings: readonly Ring[];
  /** of the band above each ring but the last */
  readonly colours: readonly Colour[];
}

/** The inside first, from its floor up to the rim, then the outside from its foot up. */
export function paintTurned(view: View, solid: Turned): void {
  const { rings } = solid;
  const bands = rings.slice(1).map((_, band) => band);
  const rim = bands.find((band) => rings[band + 1]![1] < rings[band]![1]) ?? bands.length;
  for (const band of bands.slice(rim).reverse()) paintBand(view, solid, band);
  for (const band of bands.slice(0, rim)) paintBand(view, solid, band);
}

function paintBand(view: View, { at: [x, y, z], rings, colours }: Turned, band: number): void {
  const [[low, from], [high, to]] = [rings[band]!, rings[band + 1]!];
  const [rise, run, colour] = [to - from, low - high, colours[band]!];
  if (rise === 0 && high === 0) {
    paintLevel(view, [x, y, z + to], { radius: low, colour: lit(colour, [0, 0, 1]) });
    return;
  }
  const length = Math.sqrt(rise * rise + run * run);
  const [outward, upward] = [rise / length, run / length];
  for (let segment = 0; segment < segments; segment++) {
    const [[c, s], [nc, ns]] = [circle[segment]!, circle[(segment + 1) % segments]!];
    const normal: Point = [((c + nc) / 2) * outward, ((s + ns) / 2) * outward, upward];
    const corners: Point[] = [
      [x + low * c, y + low * s, z + from],
      [x + low * nc, y + low * ns, z + from],
      [x + high * nc, y + high * ns, z + to],
      [x + high * c, y + high * s, z + to],
    ];
    view.face(corners, lit(colour, normal));
  }
}

/** A level round face, seen from above. */
export function paintLevel(
  view: View,
  [x, y, z]: Point,
  { radius, colour }: { radius: number; colour: Colour },
): void {
  view.face(
    circle.map(([c, s]) => [x + radius * c, y + radius * s, z] as const),
    colour,
  );
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly yaw: number;
  readonly half: readonly [number, number];
  /** heights of bottom and top */
  readonly from: number;
  readonly to: number;
}

/** `top` is the colour of its upper face; default that of the sides. */
export function paintBox(view: View, box: Box & { readonly top?: Colour }, colour: Colour): void {
  for (const side of sidesOf(box)) view.face(side.corners, lit(colour, side.normal));
  view.face(levelOf(box, box.to), lit(box.top ?? colour, [0, 0, 1]));
}

interface Side {
  readonly corners: readonly Point[];
  readonly normal: Point;
}

/** The four upright sides, seen from outside. */
export function sidesOf(box: Box): Side[] {
  const corners = cornersOf(box, box.half);
  return corners.map(([x, y], index) => {
    const [nx, ny] = corners[(index + 1) % 4]!;
    const length = Math.sqrt((nx - x) * (nx - x) + (ny - y) * (ny - y));
    const normal: Point = [(ny - y) / length, (x - nx) / length, 0];
    const face: Point[] = [
      [x, y, box.from],
      [nx, ny, box.from],
      [nx, ny, box.to],
      [x, y, box.to],
    ];
    return { corners: face, normal };
  });
}

export function levelOf(box: Box, z: number): Point[] {
  return cornersOf(box, box.half).map(([x, y]) => [x, y, z]);
}

/** A box without a lid: its visible inside and outside. */
export interface OpenBox {
  readonly outer: Box;
  readonly wall: number;
  /** metres above the outer bottom */
  readonly floor: number;
  readonly colour: Colour;
}

export function paintInside(view: View, { outer, wall, floor, colour }: OpenBox): void {
  const inner = innerOf(outer, wall);
  view.face(levelOf(inner, outer.from + floor), shaded(colour, 0.72));
  for (const { corners, normal } of sidesOf(inner)) {
    const inward: Point = [-normal[0], -normal[1], 0];
    view.face([...corners].reverse(), shaded(lit(colour, inward), 0.85));
  }
}

export function paintOutside(view: View, { outer, wall, colour }: OpenBox): void {
  for (const side of sidesOf(outer)) view.face(side.corners, lit(colour, side.normal));
  const [out, into] = [levelOf(outer, outer.to), levelOf(innerOf(outer, wall), outer.to)];
  for (let side = 0; side < 4; side++) {
    const next = (side + 1) % 4;
    view.face([out[side]!, out[next]!, into[next]!, into[side]!], lit(shaded(colour, 1.06), [0, 0, 1]));
  }
}

function innerOf(outer: Box, wall: number): Box {
  return { ...outer, half: [outer.half[0] - wall, outer.half[1] - wall] };
}
