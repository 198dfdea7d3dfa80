/**
 * Shapes as questions: is this point inside? Coordinates run from 0 to 1 over a tile, y down; edges belong to a shape. Rounded as the
 * published package rounds: corners of lines and triangles to float32, all else in float64.
 */

export type Shape = (x: number, y: number) => boolean;

const { fround } = Math;

/** Both corners are given as left, right, top, bottom. */
export function rectangle(left: number, right: number, [top, bottom]: readonly [number, number]): Shape {
  return (x, y) => x >= left && x <= right && y >= top && y <= bottom;
}

export function disc(centreX: number, centreY: number, radius: number): Shape {
  return (x, y) => (x - centreX) * (x - centreX) + (y - centreY) * (y - centreY) <= radius * radius;
}

type Corner = readonly [number, number];

/** Points within `radius` of a line from one corner to another, and within its bounding box widened by as much. */
export function line([x0, y0]: Corner, [x1, y1]: Corner, radius: number): Shape {
  const [startX, startY] = [fround(x0), fround(y0)];
  const [dx, dy] = [fround(fround(x1) - startX), fround(fround(y1) - startY)];
  const length = fround(Math.sqrt(fround(fround(dx * dx) + fround(dy * dy))));
  const [ux, uy] = [fround(dx / length), fround(dy / length)];
  const inBox = rectangle(Math.min(x0, x1) - radius, Math.max(x0, x1) + radius, [
    Math.min(y0, y1) - radius,
    Math.max(y0, y1) + radius,
  ]);
  return (x, y) => {
    if (!inBox(x, y)) return false;
    const along = Math.min(Math.max((x - startX) * ux + (y - startY) * uy, 0), length);
    const [restX, restY] = [x - (startX + along * ux), y - (startY + along * uy)];
    return Math.sqrt(restX * restX + restY * restY) <= radius;
  };
}

/** By barycentric coordinates; the side opposite the first corner does not belong to it. */
export function triangle(a: Corner, b: Corner, c: Corner): Shape {
  const [ax, ay] = [fround(a[0]), fround(a[1])];
  const edge = ([x, y]: Corner) => [fround(fround(x) - ax), fround(fround(y) - ay)] as const;
  const [v0, v1] = [edge(c), edge(b)];
  const dot = (p: Corner, q: Corner) => fround(fround(p[0] * q[0]) + fround(p[1] * q[1]));
  const [d00, d01, d11] = [dot(v0, v0), dot(v0, v1), dot(v1, v1)];
  const scale = fround(1 / fround(fround(d00 * d11) - fround(d01 * d01)));
  return (x, y) => {
    const [px, py] = [x - ax, y - ay];
    const d02 = v0[0] * px + v0[1] * py;
    const d12 = v1[0] * px + v1[1] * py;
    const u = (d11 * d02 - d01 * d12) * scale;
    const v = (d00 * d12 - d01 * d02) * scale;
    return u >= 0 && v >= 0 && u + v < 1;
  };
}

/** Turned about the middle of the tile, clockwise as it is seen, by quarters. */
export function turned(shape: Shape, quarters: number): Shape {
  const angle = -0.5 * Math.PI * quarters;
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  return (x, y) => {
    const [dx, dy] = [x - 0.5, y - 0.5];
    return shape(0.5 + dx * cosine - dy * sine, 0.5 + dy * cosine + dx * sine);
  };
}
