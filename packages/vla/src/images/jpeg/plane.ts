/** One colour's numbers, row by row, with halving and doubling of colour planes. */

export interface Plane {
  readonly width: number;
  readonly height: number;
  /** [height · width] */
  readonly values: Int32Array;
}

export function planeOf(width: number, height: number): Plane {
  return { width, height, values: new Int32Array(width * height) };
}

/** At another size: cropped, or with the last column and row repeated. */
export function sized(plane: Plane, width: number, height: number): Plane {
  const other = planeOf(width, height);
  for (let row = 0; row < height; row++) {
    const source = Math.min(row, plane.height - 1) * plane.width;
    for (let column = 0; column < width; column++)
      other.values[row * width + column] = plane.values[source + Math.min(column, plane.width - 1)]!;
  }
  return other;
}

/** Means of 2 × 2; halves are rounded down and up alternately along a row. Both sides must be even. */
export function halved({ width, height, values }: Plane): Plane {
  const half = planeOf(width / 2, height / 2);
  for (let row = 0; row < half.height; row++)
    for (let column = 0; column < half.width; column++) {
      const corner = row * 2 * width + column * 2;
      const sum =
        values[corner]! + values[corner + 1]! + values[corner + width]! + values[corner + width + 1]!;
      half.values[row * half.width + column] = (sum + 1 + (column % 2)) >> 2;
    }
  return half;
}

/** Twice as large: each value is ¾ of the nearer and ¼ of the farther one, down and across; `width` and `height` may be one short of double. */
export function doubled(plane: Plane, width: number, height: number): Plane {
  const double = planeOf(width, height);
  const sums = new Int32Array(plane.width);
  for (let row = 0; row < height; row++) {
    const near = row >> 1;
    const far = Math.min(Math.max(near + (row % 2 === 0 ? -1 : 1), 0), plane.height - 1);
    for (let column = 0; column < plane.width; column++)
      sums[column] =
        3 * plane.values[near * plane.width + column]! + plane.values[far * plane.width + column]!;
    for (let column = 0; column < width; column++) {
      const [here, isLeft] = [column >> 1, column % 2 === 0];
      const beside = Math.min(Math.max(here + (isLeft ? -1 : 1), 0), plane.width - 1);
      double.values[row * width + column] = (3 * sums[here]! + sums[beside]! + (isLeft ? 8 : 7)) >> 4;
    }
  }
  return double;
}
