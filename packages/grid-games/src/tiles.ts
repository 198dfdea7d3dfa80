/** Pictures of a grid in plain colours: a square a cell, and a smaller square of a second colour in its middle where one is given. */
import type { Frame } from '@emac/core';

export type Colour = readonly [red: number, green: number, blue: number];

export interface Tile {
  readonly ground: Colour;
  /** fills the middle half of the cell; absent: nothing does */
  readonly thing?: Colour;
}

/** `tiles`: row by row, all rows of one length; `side`: pixels of a cell's side. */
export function tiledFrame(tiles: readonly (readonly Tile[])[], side: number): Frame {
  const [height, width] = [tiles.length * side, tiles[0]!.length * side];
  const data = new Uint8Array(width * height * 3);
  const quarter = Math.floor(side / 4);
  const isInner = (pixel: number): boolean => pixel % side >= quarter && pixel % side < side - quarter;
  for (let y = 0; y < height; y++) {
    const row = tiles[Math.floor(y / side)]!;
    for (let x = 0; x < width; x++) {
      const { ground, thing } = row[Math.floor(x / side)]!;
      data.set(thing && isInner(x) && isInner(y) ? thing : ground, (y * width + x) * 3);
    }
  }
  return { width, height, data };
}
