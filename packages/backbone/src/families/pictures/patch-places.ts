/** Places of a picture's patches, in the order in which the vision encoders of Qwen models read them: token by token. */
import { frequencies } from '../../networks/rotary-tables.ts';
import type { PatchedPicture } from './qwen-processor.ts';

export type Grid = Pick<PatchedPicture, 'rows' | 'columns'>;

/** Row and column of every patch, in reading order: token by token. */
export function* patchPlaces({ rows, columns }: Grid, merge: number): Generator<readonly [number, number]> {
  for (let top = 0; top < rows; top += merge)
    for (let left = 0; left < columns; left += merge)
      for (let row = 0; row < merge; row++)
        for (let column = 0; column < merge; column++) yield [top + row, left + column];
}

/** Half of a head's pairs turn with the row, half with the column. */
export function anglesOf(grid: Grid, { half, merge }: { half: number; merge: number }): Float32Array {
  const steps = frequencies(half, 10000);
  const data = new Float32Array(grid.rows * grid.columns * half);
  let patch = 0;
  for (const place of patchPlaces(grid, merge)) {
    place.forEach((number, axis) =>
      steps.forEach((step, pair) => (data[patch * half + axis * steps.length + pair] = number * step)),
    );
    patch++;
  }
  return data;
}

/** Rows of a table for four places each, and the places' shares. */
export interface TablePlaces {
  readonly corners: BigInt64Array;
  readonly shares: Float32Array;
}

/**
 * Between which four places of a table of `side` × `side` positions each patch lies, and their shares, [4, P]: bilinear, the corners of the
 * picture at those of the table, in float32 as torch computes them.
 */
export function tablePlaces(grid: Grid, { merge, side }: { merge: number; side: number }): TablePlaces {
  const [down, across] = [grid.rows, grid.columns].map((count) => evenly(count, side - 1));
  const count = grid.rows * grid.columns;
  const corners = new BigInt64Array(4 * count);
  const shares = new Float32Array(4 * count);
  let patch = 0;
  for (const [row, column] of patchPlaces(grid, merge)) {
    const [y, x] = [down![row]!, across![column]!];
    const [top, left] = [Math.floor(y), Math.floor(x)];
    const [bottom, right] = [top, left].map((place) => Math.min(place + 1, side - 1));
    const [dy, dx] = [Math.fround(y - top), Math.fround(x - left)];
    const [upper, lefter] = [Math.fround(1 - dy), Math.fround(1 - dx)];
    const four = [
      [top, left, upper * lefter],
      [top, right, upper * dx],
      [bottom, left, dy * lefter],
      [bottom, right, dy * dx],
    ] as const;
    four.forEach(([ofRow, ofColumn, share], corner) => {
      corners[corner * count + patch] = BigInt(ofRow! * side + ofColumn!);
      shares[corner * count + patch] = share;
    });
    patch++;
  }
  return { corners, shares };
}

/** `count` numbers from 0 to `last` at equal distances; counted from the nearer end. */
function evenly(count: number, last: number): Float32Array {
  const step = Math.fround(last / (count - 1));
  return Float32Array.from({ length: count }, (_, place) => {
    if (count === 1) return 0;
    return place < count / 2 ? step * place : last - Math.fround(step * (count - 1 - place));
  });
}
